import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { connectDatabase, type Database } from "@carillon/db";
import { findUnclaimed, removeUnclaimed } from "@carillon/domain";
import { type FileStore, fileStoreFromEnvironment } from "@carillon/files";
import { readEnvironment } from "@carillon/kit";
import {
  authorization,
  channel,
  type FaultProxy,
  type Gateway,
  organization,
  refusedWith,
  send,
  startFaultProxy,
  startGateway,
  type TestOrganization,
  toChannel,
  upload,
  useDatabase,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import { gate } from "./support/blockers.ts";

const boundary = "bound";
const fileHead = `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="a.bin"\r\n\r\n`;
const formEnd = `\r\n--${boundary}--\r\n`;
const form = (content: string) => Buffer.from(fileHead + content + formEnd);

describe("Uploads and faults", function () {
  const db = useDatabase();
  let org: TestOrganization;
  let folder: string;
  let files: FileStore;
  let proxy: FaultProxy;
  let proxied: Database;
  /** Its database can be cut off. */
  let gateway: Gateway;
  const sockets = new Set<Socket>();

  before(async () => {
    org = await organization(db);
    folder = join(await mkdtemp(join(tmpdir(), "carillon-uploads-")), "files");
    files = fileStoreFromEnvironment(readEnvironment({ FILES_DIR: folder }));
    proxy = await startFaultProxy(db.url);
    proxied = await connectDatabase(proxy.url, { max: 10, name: "proxied" });
    gateway = await startGateway(proxied, { files });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await proxy.heal();
    await expectSound();
  });
  after(async () => {
    await gateway.close();
    await proxied.close();
    await proxy.close();
    await rm(join(folder, ".."), { recursive: true });
  });

  /** Sends the head of an upload and the given parts of its body, and collects the answer. */
  function begin(
    bytes: number | undefined,
    body: string | Buffer = "",
    to: Pick<Gateway, "url"> = gateway,
  ) {
    const { deliveryEmail: email, apiKey } = org.member;
    const socket = connect(Number(new URL(to.url).port), "127.0.0.1");
    sockets.add(socket);
    const seen = { text: "", closed: false, socket };
    socket.on("data", (chunk: Buffer) => (seen.text += chunk.toString()));
    socket.on("close", () => (seen.closed = true)).on("error", () => {});
    const { Authorization } = authorization({ email, apiKey }) as { Authorization: string };
    const length = bytes === undefined ? "Transfer-Encoding: chunked" : `Content-Length: ${bytes}`;
    socket.write(
      `POST /api/v1/user_uploads HTTP/1.1\r\nHost: x\r\nAuthorization: ${Authorization}\r\n` +
        `Content-Type: multipart/form-data; boundary=${boundary}\r\n${length}\r\n\r\n`,
    );
    socket.write(body);
    return seen;
  }
  const answered = (seen: { text: string }, status: number) =>
    waitFor(() => seen.text.startsWith(`HTTP/1.1 ${status} `) && seen.text.endsWith("}"), {
      what: `the answer is ${status}`,
    });
  const attachments = () => db.prisma.attachment.findMany({ where: { realmId: org.realm.id } });
  const unused = () => db.prisma.storedObject.count({ where: { deleteAfter: { not: null } } });
  const reserved = (before: number) =>
    waitFor(async () => (await unused()) > before, { what: "the file is being stored" });
  const discarded = (before: number) =>
    waitFor(async () => (await unused()) === before, { what: "what was stored is deleted" });

  /** Each file has its object, marked as used; the ledger knows every object. */
  async function expectSound(): Promise<void> {
    const ledger = new Map(
      (await db.prisma.storedObject.findMany()).map(({ key, deleteAfter }) => [key, deleteAfter]),
    );
    for (const { objectKey, size } of await attachments()) {
      expect(ledger.get(objectKey), objectKey).to.equal(null);
      expect((await files.stat(objectKey))?.size, objectKey).to.equal(Number(size));
    }
    const stored = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of stored)
      if (entry.isFile() && basename(entry.parentPath) !== "tmp")
        expect(ledger.has(entry.name), entry.name).to.equal(true);
    const [used] = await db.rows<{ rows: number; counted: number }>(
      `SELECT coalesce((SELECT sum(size) FROM attachments WHERE realm_id = $1), 0)::float8 AS rows,
        coalesce((SELECT bytes_used FROM realm_storage WHERE realm_id = $1), 0)::float8 AS counted`,
      [org.realm.id],
    );
    expect(used?.rows).to.equal(used?.counted);
  }

  it("leave nothing behind when clients hang up, wherever they do", async () => {
    const before = await attachments();
    const none = await unused();
    const whole = form("x".repeat(100_000));
    for (const sent of [0, 10, fileHead.length, 5_000, whole.length - 5, whole.length - 1]) {
      const { socket } = begin(whole.length, whole.subarray(0, sent));
      if (sent >= fileHead.length) await reserved(none);
      socket.destroy();
      await discarded(none);
    }
    expect(await attachments()).to.deep.equal(before);
    expect(await readdir(join(folder, "tmp"))).to.deep.equal([]);
  });

  it("are refused with 408 when the body stops, wherever it does", async () => {
    const none = await unused();
    const impatient = await startGateway(db, { files, app: { bodyIdleMs: 20 } });
    try {
      const whole = form("x".repeat(1_000));
      for (const sent of [0, 10, fileHead.length, 500, whole.length - 1]) {
        await answered(begin(whole.length, whole.subarray(0, sent), impatient), 408);
        await discarded(none);
      }
      await answered(begin(undefined, "8\r\n--bound\r", impatient), 408);
    } finally {
      await impatient.close();
    }
  });

  it("are refused if their account is deactivated while they arrive", async () => {
    const none = await unused();
    const whole = form("x".repeat(1_000));
    const seen = begin(whole.length, whole.subarray(0, 500));
    await reserved(none);
    const where = { id: org.member.id };
    await db.prisma.user.update({ where, data: { isActive: false } });
    try {
      seen.socket.write(whole.subarray(500));
      await answered(seen, 401);
      await discarded(none);
    } finally {
      await db.prisma.user.update({ where, data: { isActive: true } });
    }
  });

  it("do not trust a Content-Length that is too small or too large", async () => {
    const none = await unused();
    const whole = form("lie");
    await answered(begin(whole.length - 10, whole), 400);
    const seen = begin(whole.length + 10, whole);
    await reserved(none);
    seen.socket.end();
    await waitFor(() => seen.closed, { what: "the connection ends" });
    await discarded(none);
  });

  it("are answered by the deadline when the database stops answering", async () => {
    // Long enough for a busy machine to reach the row.
    const hasty = await startGateway(proxied, { files, app: { deadlineMs: 5_000 } });
    const held = await gate(db, "INSERT ON attachments");
    try {
      const whole = form("frozen");
      const seen = begin(whole.length, whole, hasty);
      await waitFor(async () => (await held.waiting()) === 1, { what: "the row is written" });
      proxy.freeze();
      // The database stays away: nothing but the deadline can end the request.
      await answered(seen, 503);
    } finally {
      await held.drop();
      await proxy.heal();
      await hasty.close();
    }
    const { filename } = await waitFor(() => upload(gateway.as(org.member), "again.txt"), {
      what: "uploads work again",
    });
    expect(filename).to.equal("again.txt");
  });

  it("keep the object when the answer to COMMIT is lost", async () => {
    const before = (await attachments()).length;
    const held = await gate(db, "COMMIT OF INSERT ON attachments");
    const whole = form("committed");
    const seen = begin(whole.length, whole);
    try {
      await waitFor(async () => (await held.waiting()) === 1, { what: "COMMIT is in progress" });
      proxy.drop();
    } finally {
      await held.finish();
    }
    await answered(seen, 503);
    await waitFor(async () => (await attachments()).length === before + 1, {
      what: "the upload is committed",
    });
  });

  it("are refused while the folder is away, and work again when it is back", async () => {
    const client = gateway.as(org.member);
    const { url } = await upload(client, "before.txt", "before");
    const whole = form("away");
    await rename(folder, `${folder}-away`);
    try {
      await answered(begin(whole.length, whole), 503);
      refusedWith(await client.get(url), "INTERNAL_ERROR", {}, 503);
      expect((await fetch(`${gateway.url}/health`)).status).to.equal(200);
      const room = await channel(db, org.member, { subscribers: [org.member] });
      await send(client, toChannel(room.id, { content: "still here" }));
    } finally {
      await rename(`${folder}-away`, folder);
    }
    await upload(client, "after.txt", "after");
    expect((await fetch(gateway.url + url, { headers: headersOf(org) })).status).to.equal(200);
  });

  it("can be deleted once, however many ask at once", async () => {
    const client = gateway.as(org.member);
    const { pathId } = await upload(client, "once.txt", "once");
    const { id } = await db.prisma.attachment.findUniqueOrThrow({ where: { pathId } });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => client.delete(`/api/v1/attachments/${id}`)),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([
      200, 400, 400, 400, 400,
    ]);
  });

  it("leave no claim without its file when a message races with a deletion or the sweep", async () => {
    const client = gateway.as(org.member);
    const room = await channel(db, org.member, { subscribers: [org.member] });
    for (let round = 0; round < 20; round++) {
      const { pathId, url } = await upload(client, `race-${round}.txt`);
      const { id } = await db.prisma.attachment.update({
        where: { pathId },
        data: { createdAt: new Date(0) },
      });
      const message = send(client, toChannel(room.id, { content: `[it](${url})` }));
      if (round % 2 === 0) await client.delete(`/api/v1/attachments/${id}`);
      else {
        const { ids } = await findUnclaimed(db, id - 1, 1);
        await db.transaction((tx) => removeUnclaimed(tx, ids));
      }
      const sent = await message;
      const [file, claim] = await Promise.all([
        db.prisma.attachment.findUnique({ where: { id } }),
        db.prisma.attachmentClaim.findFirst({ where: { messageId: BigInt(sent) } }),
      ]);
      // The sweep spares a file that is claimed; a deletion takes the claims with it.
      if (round % 2 === 0) expect([file, claim], `round ${round}`).to.deep.equal([null, null]);
      else expect(file?.id, `round ${round}`).to.equal(claim?.attachmentId);
    }
  });

  it("of one account are read eight at a time, and those of another account meanwhile", async () => {
    const whole = form("x".repeat(400_000));
    // More than what is written to the disk at once.
    const sent = 300_000;
    const temporary = async () => (await readdir(join(folder, "tmp"))).length;
    const own = Array.from({ length: 9 }, () => begin(whole.length, whole.subarray(0, sent)));
    await waitFor(async () => (await temporary()) === 8, { what: "eight are being stored" });
    await upload(gateway.as(org.owner), "other.txt", "x".repeat(sent));
    expect(await temporary()).to.equal(8);
    for (const { socket } of own) socket.write(whole.subarray(sent));
    for (const seen of own) await answered(seen, 200);
  });
});

function headersOf({ member: { deliveryEmail: email, apiKey } }: TestOrganization) {
  return authorization({ email, apiKey });
}
