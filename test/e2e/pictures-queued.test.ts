import { getOwnUser, uploadAvatar } from "@carillon/contract";
import { type FileStore, fileStoreFromEnvironment } from "@carillon/files";
import { readEnvironment } from "@carillon/kit";
import {
  forEachBackend,
  type Gateway,
  organization,
  refusedWith,
  s3Program,
  type S3Server,
  sizeOfPng,
  startGateway,
  startS3Server,
  startWorker,
  testPng,
  type TestOrganization,
  type TestWorker,
  useDatabase,
  useQueues,
} from "@carillon/testkit";
import { expect } from "chai";

forEachBackend("Avatars made by a worker, with the files on S3", (backend) => {
  const db = useDatabase();
  const queues = useQueues(backend, db);
  let org: TestOrganization;
  let s3: S3Server;
  let files: FileStore;
  let gateway: Gateway;
  let worker: TestWorker;

  before(async function () {
    const program = s3Program();
    if (program === undefined) return this.skip();
    s3 = await startS3Server(program);
    files = fileStoreFromEnvironment(readEnvironment(s3.variables));
    org = await organization(db);
    gateway = await startGateway(db, { files, queues });
    worker = await startWorker(db, queues, { services: { files } });
  });
  after(async () => {
    await worker?.close();
    await gateway?.close();
    await files?.close();
    await s3?.close();
  });

  const change = (by: Gateway) =>
    by.as(org.member).call(uploadAvatar, { files: { "me.png": testPng(120, 80) } });

  it("are there when the request is answered", async () => {
    const { status, body } = await change(gateway);
    expect(status, JSON.stringify(body)).to.equal(200);
    const path = body.avatar_url.slice(gateway.services.site.url.length);
    const picture = await fetch(gateway.url + path);
    expect(picture.status).to.equal(200);
    expect(sizeOfPng(new Uint8Array(await picture.arrayBuffer()))).to.deep.equal([100, 100]);
    const own = await gateway.as(org.member).succeed(getOwnUser);
    expect(own).to.include({ avatar_url: body.avatar_url, avatar_version: 2 });
  });

  it("are refused with 503 while the store is away, or no worker gets the job, and nothing has changed", async () => {
    await s3.kill();
    refusedWith(await change(gateway), "INTERNAL_ERROR", {}, 503);
    await s3.start();
    const { status, body } = await change(gateway);
    expect(status, JSON.stringify(body)).to.equal(200);
    await worker.close();
    const hasty = await startGateway(db, { files, queues, pictureWaitMs: 300 });
    try {
      refusedWith(await change(hasty), "INTERNAL_ERROR", {}, 503);
    } finally {
      await hasty.close();
    }
    const own = await gateway.as(org.member).succeed(getOwnUser);
    expect(own).to.include({ avatar_url: body.avatar_url, avatar_version: 3 });
    expect(await db.prisma.pictureRequest.count()).to.equal(0);
    const dead = await db.rows("SELECT FROM job_intent WHERE state = 'dead'");
    expect(dead).to.deep.equal([]);
  });
});
