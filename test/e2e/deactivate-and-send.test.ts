import { deactivateUser } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { deliverDue } from "@carillon/jobs";
import {
  bot,
  channel,
  countWaiting,
  deleteRecorded,
  directMessage,
  makeDue,
  messagesPath,
  refusedWith,
  runJob,
  schedule,
  storedRow,
  toChannel,
  toUsers,
  user,
  useScene,
  waitFor,
  type Params,
  type Refusable,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

// users.md §4: messages sent before the deactivation are deleted, later ones are refused; every message is one or the
// other.
describe("A message and the concurrent deactivation of its sender", () => {
  const scene = useScene();
  let target: TestAccount;
  let room: { id: number };
  beforeEach(async () => {
    const { db, org } = scene;
    target = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [org.member] });
  });

  const actions = {
    delete_public_channel_messages: true,
    delete_private_channel_messages: true,
    delete_direct_messages: true,
  };
  const deactivating = () =>
    scene
      .as(scene.org.owner)
      .succeed(deactivateUser, { path: { user_id: target.id }, params: { actions } });
  const messagesOf = async ({ id }: TestAccount) =>
    (await scene.db.rows("SELECT FROM messages WHERE sender_id = $1", [id])).length;
  /** A deactivation changes nothing about channels without a subscription of the sender. */
  const ways: Readonly<Record<string, () => Params>> = {
    "to somebody": () => toUsers([scene.org.member.id]),
    "to a channel of others": () => toChannel(room.id),
  };

  /** Starts the requests one after another, each until it waits or ends, while the lock blocks the first. */
  async function inOrder(
    lock: (tx: Tx) => Promise<unknown>,
    requests: ReadonlyArray<() => Promise<unknown>>,
  ): Promise<void> {
    const running: Array<Promise<unknown>> = [];
    let ended = 0;
    await scene.db.transaction(async (tx) => {
      await lock(tx);
      for (const request of requests) {
        running.push(request().finally(() => ended++));
        const what = "the request waits, or is done";
        await waitFor(async () => (await countWaiting(scene.db.pool)) + ended === running.length, {
          what,
        });
      }
    });
    await Promise.all(running);
  }

  /** After the check, before the message has an ID. */
  const ids = (tx: Tx) => tx.rows("LOCK TABLE messages IN SHARE MODE");
  /** At the commit. */
  const head = (tx: Tx) =>
    tx.rows("SELECT FROM event_head WHERE realm_id = $1 FOR UPDATE", [scene.org.realm.id]);

  for (const [where, message] of Object.entries(ways)) {
    const sending = (by: TestAccount) => scene.as(by).post(messagesPath, message());

    it(`deletes the message if it was first: ${where}`, async () => {
      const answers: Refusable[] = [];
      await inOrder(ids, [async () => answers.push(await sending(target)), deactivating]);
      expect(answers.map(({ body }) => body["result"])).to.deep.equal(["success"]);
      expect(await messagesOf(target)).to.equal(1);
      await deleteRecorded(scene.db);
      expect(await messagesOf(target)).to.equal(0);
    });

    it(`deletes the message of the sender's bot if it was first: ${where}`, async () => {
      const machine = await bot(scene.db, target);
      await inOrder(ids, [() => sending(machine), deactivating]);
      expect(await messagesOf(machine)).to.equal(1);
      await deleteRecorded(scene.db);
      expect(await messagesOf(machine)).to.equal(0);
    });

    it(`refuses the message if it was second: ${where}`, async () => {
      const answers: Refusable[] = [];
      await inOrder(head, [deactivating, async () => answers.push(await sending(target))]);
      for (const answer of answers) refusedWith(answer, "UNAUTHORIZED", {}, 401);
      expect(answers).to.have.length(1);
      expect(await messagesOf(target)).to.equal(0);
    });
  }

  it("fails the scheduled message if it was due second", async () => {
    const { db, org } = scene;
    const id = await schedule(scene.as(target), directMessage([org.member.id]));
    await makeDue(db, id, -1);
    const deliver = () => runJob(db, deliverDue, { realmId: org.realm.id, second: 1 });
    // The delivery waits for two seconds, then reports that it will be retried.
    await inOrder(head, [deactivating, () => deliver().catch(() => {})]);
    await deliver();
    expect(await storedRow(db, id)).to.include({ delivered: false, failed: true });
    expect(await messagesOf(target)).to.equal(0);
  });
});
