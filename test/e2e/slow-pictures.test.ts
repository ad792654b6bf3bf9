import { getOwnUser, uploadAvatar } from "@carillon/contract";
import type { FileStore } from "@carillon/files";
import {
  decodersOf,
  forEachBackend,
  type Gateway,
  isReading,
  organization,
  pngPicture,
  refusedWith,
  startGateway,
  startWorker,
  testFiles,
  testPng,
  type TestOrganization,
  type TestWorker,
  upload,
  useDatabase,
  useQueues,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

/** Returns a store that stops the decoder of the next picture before it sends its bytes: that picture is never decoded. */
function stoppingDecoders(store: FileStore): FileStore & { stopNext(): Promise<void> } {
  let stopped: (() => void) | undefined;
  const stop = async () => {
    const pid = await waitFor(() => decodersOf(process.pid).find((one) => isReading(one)), {
      what: "the decoder reads",
    });
    process.kill(pid, "SIGSTOP");
  };
  return {
    about: store.about,
    put: store.put.bind(store),
    read: store.read.bind(store),
    stat: store.stat.bind(store),
    delete: store.delete.bind(store),
    check: store.check.bind(store),
    close: () => Promise.resolve(),
    async get(...args) {
      const isStopped = stopped;
      stopped = undefined;
      if (isStopped) {
        await stop();
        isStopped();
      }
      return store.get(...args);
    },
    stopNext: () => new Promise((resolve) => (stopped = resolve)),
  };
}

// files.md §5, §6
forEachBackend("A picture that takes too long", (backend) => {
  const db = useDatabase();
  const queues = useQueues(backend, db);
  const files = stoppingDecoders(testFiles());
  let org: TestOrganization;
  let gateway: Gateway;
  let worker: TestWorker;

  before(async () => {
    org = await organization(db);
    gateway = await startGateway(db, { files, queues });
    worker = await startWorker(db, queues, { services: { files, pictureTimeoutMs: 6_000 } });
  });
  after(async () => {
    await worker?.close();
    await gateway?.close();
  });

  const change = (account = org.member) =>
    gateway.as(account).call(uploadAvatar, { files: { "me.png": testPng(12, 8) } });

  it("is interrupted by an avatar, for which a request waits, and is tried again afterwards", async () => {
    const isStopped = files.stopNext();
    const { pathId } = await upload(
      gateway.as(org.admin),
      "slow.png",
      pngPicture(30, 20),
      "image/png",
    );
    await isStopped;
    const { status, body } = await change();
    expect(status, JSON.stringify(body)).to.equal(200);
    const image = await waitFor(
      async () => db.prisma.image.findFirst({ where: { attachment: { pathId }, state: "made" } }),
      { what: "the thumbnail is made" },
    );
    expect(image).to.include({ width: 30, height: 20 });
    const jobs = await db.rows<{ payload: unknown }>(
      "SELECT payload FROM job_intent WHERE job = 'thumbnail' ORDER BY id",
    );
    expect(jobs.map(({ payload }) => payload)).to.deep.equal([
      { attachmentId: image.attachmentId, behind: 0 },
      { attachmentId: image.attachmentId, behind: 1_000 },
    ]);
  });

  it("is refused as an avatar, and another account's avatar behind it is made", async () => {
    const isStopped = files.stopNext();
    const slow = change(org.admin);
    await isStopped;
    const { status, body } = await change(org.moderator);
    expect(status, JSON.stringify(body)).to.equal(200);
    refusedWith(await slow, "BAD_IMAGE");
    expect(await gateway.as(org.admin).succeed(getOwnUser)).to.include({ avatar_version: 1 });
    expect(await db.prisma.pictureRequest.count()).to.equal(0);
  });
});
