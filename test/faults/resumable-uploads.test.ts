import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expireResumable } from "@carillon/domain";
import { type FileStore, fileStoreFromEnvironment } from "@carillon/files";
import { readEnvironment } from "@carillon/kit";
import {
  authorization,
  type Gateway,
  organization,
  refusedByTus,
  refusedWith,
  s3Program,
  type S3Server,
  startGateway,
  startS3Server,
  type TestOrganization,
  useDatabase,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import { gate } from "./support/blockers.ts";

const bytesType = "application/offset+octet-stream";
const content = randomBytes(3_000_000);

for (const kind of ["disk", "s3"] as const)
  describe(`Resumable uploads and faults, with files on ${kind}`, function () {
    const db = useDatabase();
    let org: TestOrganization;
    let folder: string;
    let s3: S3Server | undefined;
    let files: FileStore;
    let first: Gateway;
    let second: Gateway;
    const sockets = new Set<Socket>();

    before(async function () {
      folder = join(await mkdtemp(join(tmpdir(), "carillon-tus-")), "files");
      let variables: Readonly<Record<string, string>> = { FILES_DIR: folder };
      if (kind === "s3") {
        const program = s3Program();
        if (program === undefined) return this.skip();
        s3 = await startS3Server(program);
        ({ variables } = s3);
      }
      org = await organization(db);
      files = fileStoreFromEnvironment(readEnvironment(variables));
      first = await startGateway(db, { files });
      second = await startGateway(db, { files, app: { bodyIdleMs: 30 } });
    });
    afterEach(() => {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    });
    after(async () => {
      await first?.close();
      await second?.close();
      await files?.close();
      await s3?.close();
      await rm(join(folder, ".."), { recursive: true });
    });

    const version = { "Tus-Resumable": "1.0.0" };
    const tus = (
      method: string,
      path: string,
      headers: Record<string, string>,
      body?: Buffer,
      by: Gateway = first,
    ) =>
      by.as(org.member).send(method, path, {
        headers: { ...version, ...headers },
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
      });
    const begin = async (size = content.length) => {
      const { headers } = await tus("POST", "/api/v1/tus", { "Upload-Length": `${size}` });
      return new URL(headers.get("Location") ?? "").pathname;
    };
    const patch = (path: string, from: number, to = content.length, by = first) =>
      tus(
        "PATCH",
        path,
        { "Content-Type": bytesType, "Upload-Offset": `${from}` },
        content.subarray(from, to),
        by,
      );
    const offsetOf = async (path: string) =>
      Number((await tus("HEAD", path, {})).headers.get("Upload-Offset"));

    /** Begins a PATCH of the rest, and sends bytes up to a position. */
    const beginPatch = (path: string, from: number, to: number, by: Gateway = first) => {
      const { deliveryEmail: email, apiKey } = org.member;
      const socket = connect(Number(new URL(by.url).port), "127.0.0.1");
      sockets.add(socket);
      const seen = { text: "", socket };
      socket.on("data", (chunk: Buffer) => (seen.text += chunk.toString())).on("error", () => {});
      const { Authorization } = authorization({ email, apiKey }) as { Authorization: string };
      socket.write(
        `PATCH ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${Authorization}\r\nTus-Resumable: 1.0.0\r\n` +
          `Content-Type: ${bytesType}\r\nUpload-Offset: ${from}\r\nContent-Length: ${content.length - from}\r\n\r\n`,
      );
      socket.write(content.subarray(from, to));
      return seen;
    };
    const leased = (path: string) =>
      waitFor(
        async () => {
          const id = path.split("/").at(-1) ?? "";
          return (await db.prisma.resumableUpload.findUniqueOrThrow({ where: { id } })).leaseId;
        },
        { what: "a request holds the lease" },
      );
    const released = (path: string) =>
      waitFor(
        async () => {
          const id = path.split("/").at(-1) ?? "";
          const row = await db.prisma.resumableUpload.findUniqueOrThrow({ where: { id } });
          return row.leaseId === null;
        },
        { what: "no request holds the lease" },
      );
    /** Sends the rest, and compares the file with what was sent. */
    const finish = async (path: string, by = second) => {
      const { status, body, text } = await patch(path, await offsetOf(path), undefined, by);
      expect(status, text).to.equal(200);
      const { deliveryEmail: email, apiKey } = org.member;
      const answer = await fetch(first.url + String(body["url"]), {
        headers: authorization({ email, apiKey }),
      });
      expect(hashOf(Buffer.from(await answer.arrayBuffer()))).to.equal(hashOf(content));
    };

    it("keep the bytes that had arrived when the connection broke, wherever it did", async () => {
      for (const sent of [1, 60_000, 70_000, 1_000_000, content.length - 1]) {
        const path = await begin();
        const { socket } = beginPatch(path, 0, sent);
        await leased(path);
        socket.end();
        await released(path);
        const offset = await offsetOf(path);
        expect(offset).to.equal(sent);
        await finish(path);
      }
    });

    it("keep the bytes of a body that stops, and refuse it with 408", async () => {
      const path = await begin();
      const seen = beginPatch(path, 0, 100_000, second);
      await waitFor(() => seen.text.startsWith("HTTP/1.1 408 "), { what: "the answer is 408" });
      expect(await offsetOf(path)).to.equal(100_000);
      await finish(path);
    });

    it("have one writer at a time, on all gateways", async () => {
      const path = await begin();
      const { socket } = beginPatch(path, 0, 100_000);
      await leased(path);
      for (const by of [first, second]) {
        refusedByTus(await patch(path, 0, 10, by), 423);
        refusedByTus(await tus("DELETE", path, {}, undefined, by), 423);
      }
      expect(await offsetOf(path)).to.equal(0);
      socket.end();
      await released(path);
      await finish(path);
    });

    it("are changed by no request that has lost its lease", async () => {
      const path = await begin();
      const slow = beginPatch(path, 0, 100_000);
      await leased(path);
      // As if the process had been stopped for longer than the lease lasts.
      await db.rows("UPDATE resumable_uploads SET lease_until = now() - interval '1 second'");
      expect((await patch(path, 0, 200_000, second)).status).to.equal(204);
      slow.socket.write(content.subarray(100_000));
      await waitFor(() => slow.text.startsWith("HTTP/1.1 423 "), { what: "the answer is 423" });
      expect(await offsetOf(path)).to.equal(200_000);
      await finish(path);
    });

    it("store one file when the last bytes are sent twice at once", async () => {
      const path = await begin();
      const before = await db.prisma.attachment.count();
      const answers = await Promise.all([first, second].map((by) => patch(path, 0, undefined, by)));
      expect(answers.map(({ status }) => status)).to.include(200);
      for (const { status } of answers) expect([200, 409, 423]).to.include(status);
      expect(await db.prisma.attachment.count()).to.equal(before + 1);
      expect(await offsetOf(path)).to.equal(content.length);
    });

    it("answer the last bytes again when their answer was lost", async () => {
      const path = await begin();
      const held = await gate(db, "INSERT ON attachments");
      const seen = beginPatch(path, 0, content.length);
      try {
        await waitFor(async () => (await held.waiting()) === 1, { what: "the row is written" });
        expect(await offsetOf(path)).to.equal(0);
        seen.socket.destroy();
      } finally {
        await held.finish();
      }
      await released(path);
      expect(await offsetOf(path)).to.equal(content.length);
      const again = await patch(path, content.length);
      expect([again.status, again.body["filename"]]).to.deep.equal([200, "uploaded-file"]);
    });

    it("are refused while the store is away, and continue from the same offset", async () => {
      const path = await begin();
      await patch(path, 0, 100_000);
      if (s3) await s3.kill();
      else await rename(folder, `${folder}-away`);
      try {
        refusedWith(await patch(path, 100_000), "INTERNAL_ERROR", {}, 503);
        expect(await offsetOf(path)).to.equal(100_000);
      } finally {
        if (s3) await s3.start();
        else await rename(`${folder}-away`, folder);
      }
      await finish(path);
    });

    it("leave objects to the ledger, which deletes them within 25 hours", async () => {
      const used = async () =>
        db.rows<{ left: number }>(
          "SELECT count(*)::int AS left FROM stored_objects WHERE delete_after > now() + interval '24 hours 30 minutes'",
        );
      const path = await begin();
      await patch(path, 0, 100_000);
      await patch(path, 100_000, 200_000);
      const id = path.split("/").at(-1) ?? "";
      await db.rows(
        "UPDATE resumable_uploads SET created_at = now() - interval '25 hours' WHERE id = $1",
        [id],
      );
      expect(await expireResumable(db, 10)).to.equal(1);
      expect(await db.prisma.resumablePart.count({ where: { uploadId: id } })).to.equal(0);
      expect(await used()).to.deep.equal([{ left: 0 }]);
    });
  });

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
