import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  installation,
  organization,
  refusedByTus,
  type TestOrganization,
  type TestProcess,
  useDatabase,
  useProcesses,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import { gate } from "./support/blockers.ts";
import { scenarioMs } from "./support/patience.ts";
import { TusClient } from "./support/tus-client.ts";

const content = randomBytes(3_000_000);
const half = 1_500_000;

type GatewayProcess = TestProcess & { readonly url: string };

// files.md §7
describe("Resumable uploads whose gateway is killed or frozen in a PATCH", function () {
  this.timeout(scenarioMs);
  const db = useDatabase();
  const processes = useProcesses();
  let org: TestOrganization;
  let folder: string;
  const tus = new TusClient(db, content, () => org.member);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-tus-"));
    org = await organization(db);
  });
  afterEach(() => tus.close());
  after(() => rm(folder, { recursive: true }));

  const start = (url = db.url): Promise<GatewayProcess> =>
    processes.gateway({ ...installation(url), FILES_DIR: folder });
  /** Starts a gateway to be frozen: the server ends its transaction after a second; by default after ten. */
  const startImpatient = (): Promise<GatewayProcess> => {
    const url = new URL(db.url);
    url.searchParams.set("idle_in_transaction_session_timeout", "1000");
    return start(url.href);
  };
  const temporaryFiles = () => readdir(join(folder, "tmp"));
  /** Waits until a gateway has written bytes of a request to the disk. */
  const written = () =>
    waitFor(
      async () => {
        for (const name of await temporaryFiles()) {
          const found = await stat(join(folder, "tmp", name)).catch(() => undefined);
          if (found && found.size > 0) return true;
        }
        return false;
      },
      { what: "bytes are written" },
    );
  /** Ends the leases of requests that no longer renew theirs, as 30 s do. */
  const leasesEnd = () =>
    db.rows(
      "UPDATE resumable_uploads SET lease_until = clock_timestamp() WHERE lease_id IS NOT NULL",
    );
  const attachments = () => db.prisma.attachment.count();
  /** Each object of the store is that of a file, or one that the ledger deletes. */
  const expectSound = async () => {
    const files = await db.prisma.attachment.findMany();
    const used = await db.prisma.storedObject.findMany({ where: { deleteAfter: null } });
    expect(used.map(({ key }) => key)).to.have.members(files.map(({ objectKey }) => objectKey));
    const known = new Set((await db.prisma.storedObject.findMany()).map(({ key }) => key));
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile() && !entry.parentPath.endsWith("/tmp"))
        expect(known.has(entry.name), entry.name).to.equal(true);
  };

  it("continue from the last durable offset after a kill, and have the right bytes", async () => {
    const first = await start();
    const path = await tus.begin(first);
    expect((await tus.patch(first, path, 0, half)).status).to.equal(204);
    tus.beginPatch(first, path, half, content.length - 1);
    await written();
    await first.kill();
    expect(await temporaryFiles()).to.have.length(1);
    const second = await start();
    expect(await tus.offsetOf(second, path)).to.equal(half);
    refusedByTus(await tus.patch(second, path, half), 423);
    await leasesEnd();
    await tus.finish(second, path);
    await expectSound();
    await rm(join(folder, "tmp"), { recursive: true });
  });

  it("are not finished by a gateway that is killed before the commit, and are finished once", async () => {
    const before = await attachments();
    const first = await start();
    const path = await tus.begin(first);
    expect((await tus.patch(first, path, 0, half)).status).to.equal(204);
    const held = await gate(db, "INSERT ON attachments");
    tus.beginPatch(first, path, half, content.length);
    await waitFor(async () => (await held.waiting()) === 1, { what: "the row is written" });
    await first.kill();
    await held.drop();
    expect(await attachments()).to.equal(before);
    const second = await start();
    expect(await tus.offsetOf(second, path)).to.equal(half);
    await leasesEnd();
    await tus.finish(second, path);
    expect(await tus.offsetOf(second, path)).to.equal(content.length);
    expect(await attachments()).to.equal(before + 1);
    await expectSound();
  });

  it("are not changed by a gateway that was frozen while another one finished them", async () => {
    const before = await attachments();
    const [frozen, other] = await Promise.all([startImpatient(), start()]);
    const path = await tus.begin(frozen);
    const late = tus.beginPatch(frozen, path, 0, half);
    await written();
    frozen.signal("SIGSTOP");
    refusedByTus(await tus.patch(other, path, 0), 423);
    await leasesEnd();
    // Other bytes than the frozen gateway has got.
    expect((await tus.patch(other, path, 0, 100_000)).status).to.equal(204);
    await tus.finish(other, path);
    frozen.signal("SIGCONT");
    late.socket.write(content.subarray(half));
    await waitFor(() => late.text.startsWith("HTTP/1.1 423 "), { what: "the answer is 423" });
    expect(await tus.offsetOf(frozen, path)).to.equal(content.length);
    expect(await attachments()).to.equal(before + 1);
    await waitFor(async () => (await temporaryFiles()).length === 0, {
      what: "the frozen gateway has removed its bytes",
    });
    await expectSound();
    const [file] = await db.prisma.attachment.findMany({ orderBy: { id: "desc" }, take: 1 });
    await tus.expectFile(frozen, `/user_uploads/${file?.pathId}`);
  });

  it("are finished by another gateway if one freezes in the transaction that adds the file", async () => {
    const before = await attachments();
    const [frozen, other] = await Promise.all([startImpatient(), start()]);
    const path = await tus.begin(frozen);
    const held = await gate(db, "AFTER INSERT ON attachments");
    const late = tus.beginPatch(frozen, path, 0, content.length);
    await waitFor(async () => (await held.waiting()) === 1, { what: "the row is written" });
    frozen.signal("SIGSTOP");
    await held.open();
    await leasesEnd();
    await tus.finish(other, path);
    frozen.signal("SIGCONT");
    await waitFor(() => /^HTTP\/1\.1 (423|503) /.test(late.text), {
      what: "the answer is no success",
    });
    expect(await attachments()).to.equal(before + 1);
    await expectSound();
  });
});
