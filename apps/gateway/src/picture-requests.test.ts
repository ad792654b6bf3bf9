import { uploadAvatar } from "@carillon/contract";
import { requestPictures, takeRequest, waitingRequest } from "@carillon/domain";
import { makePictures } from "@carillon/jobs";
import { intentsRecorded, type QueuedIntent } from "@carillon/outbox";
import {
  refusedWith,
  runJob,
  testPng,
  useGateway,
  user,
  useScene,
  waitFor,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Requests that wait for their pictures", () => {
  const scene = useScene();
  const { db } = scene;
  const hasty = useGateway(db, { pictureWaitMs: 200 });
  const other = useGateway(db);
  let own: TestAccount;
  let jobs: QueuedIntent[] = [];
  let unsubscribe: () => void;
  beforeEach(async () => {
    own = await user(db, scene.org.realm);
    jobs = [];
    unsubscribe = db.postCommit.subscribe(intentsRecorded, (intents) => {
      jobs.push(...intents.filter(({ job }) => job === makePictures.name));
    });
  });
  afterEach(() => unsubscribe());

  const change = (gateway = scene.gateway) =>
    gateway.as(own).call(uploadAvatar, { files: { "a.png": testPng(8, 8) } });
  const run = async (at = 0) => {
    const { intentId, version } = await waitFor(async () => jobs[at], {
      what: "the job of a request",
    });
    await runJob(db, makePictures, { intentId, version });
  };
  const version = async () =>
    (await db.prisma.user.findUniqueOrThrow({ where: { id: own.id } })).avatarVersion;

  it("are answered when the worker has finished, whichever gateway it wakes first", async () => {
    const answers = Promise.all([change(), change(other)]);
    await run(0);
    await run(1);
    for (const { status, body } of await answers)
      expect(status, JSON.stringify(body)).to.equal(200);
    expect(await version()).to.equal(3);
  });

  it("are refused with 503 if no worker finishes in time, and a worker that finishes later changes nothing", async () => {
    refusedWith(await change(hasty), "INTERNAL_ERROR", {}, 503);
    expect(await db.prisma.pictureRequest.count()).to.equal(0);
    await run();
    expect(await version()).to.equal(1);
    expect(await db.prisma.picture.count({ where: { userId: own.id } })).to.equal(0);
    const left = await db.prisma.storedObject.count({ where: { deleteAfter: null } });
    expect(left).to.equal(await db.prisma.picture.count());
  });

  it("are void even if a worker has begun them", async () => {
    const id = await db.transaction((tx) =>
      requestPictures(tx, scene.org.realm.id, "avatar", "a".repeat(26)),
    );
    const waiting = await waitingRequest(db, scene.org.realm.id, id);
    expect(waiting).to.deep.equal({ kind: "avatar", objectKey: "a".repeat(26) });
    expect(await waitingRequest(db, scene.org.realm.id + 1, id)).to.equal(undefined);
    expect(await db.transaction((tx) => takeRequest(tx, id))).to.equal(undefined);
    expect(await waitingRequest(db, scene.org.realm.id, id)).to.equal(undefined);
    await run();
  });

  it("run their job twice without harm", async () => {
    const answer = change();
    await run();
    await run();
    expect((await answer).status).to.equal(200);
    expect(await version()).to.equal(2);
  });

  it("change nothing once their client has hung up", async () => {
    const abandoned = new AbortController();
    const answer = scene.gateway
      .as(own)
      .call(uploadAvatar, { files: { "a.png": testPng(8, 8) }, signal: abandoned.signal })
      .catch(() => "hung up");
    await waitFor(async () => jobs.length > 0, { what: "the job" });
    abandoned.abort();
    expect(await answer).to.equal("hung up");
    await waitFor(
      async () =>
        (await db.prisma.storedObject.count({ where: { deleteAfter: { not: null } } })) === 0,
      { what: "the end of the request" },
    );
    await waitFor(async () => (await db.prisma.pictureRequest.count()) === 0, {
      what: "the request is taken",
    });
    await run();
    expect(await version()).to.equal(1);
  });

  it("hold no connection of the database", async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => user(db, scene.org.realm)));
    const abandoned = new AbortController();
    const { signal } = abandoned;
    const answers = many.map((account) =>
      scene.gateway
        .as(account)
        .call(uploadAvatar, { files: { "a.png": testPng(8, 8) }, signal })
        .catch(() => "hung up"),
    );
    await waitFor(async () => jobs.length === 20, { what: "all jobs" });
    await waitFor(() => db.pool.idleCount === db.pool.totalCount, { what: "an idle pool" });
    abandoned.abort();
    expect(new Set(await Promise.all(answers))).to.deep.equal(new Set(["hung up"]));
  });

  it("of one account run two at a time", async () => {
    const answers = Promise.all([change(), change(), change()]);
    await run(0);
    await run(1);
    await run(2);
    expect((await answers).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(await version()).to.equal(4);
  });
});
