import { removeSubscriptions } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { deliverDue } from "@carillon/jobs";
import {
  channel,
  channelMessage,
  countWaiting,
  eventsOf,
  refusedWith,
  type Refusable,
  type LoggedEvent,
  makeDue,
  messagesPath,
  runJob,
  schedule,
  storedRow,
  type TestAccount,
  type TestChannel,
  toChannel,
  user,
  useScene,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

// docs/decisions/012: a message is either before or after an unsubscription, for all accounts alike.
describe("A message to a private channel during an unsubscription", () => {
  const scene = useScene();
  let sender: TestAccount;
  let leaver: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { db, org } = scene;
    [sender, leaver] = [await user(db, org.realm), await user(db, org.realm)];
    room = await channel(db, org.realm, { inviteOnly: true, subscribers: [sender, leaver] });
  });

  const removing = ({ id }: TestAccount) =>
    scene.as(scene.org.owner).succeed(removeSubscriptions, {
      params: { subscriptions: [room.name], principals: [id] },
    });
  const sending = () => scene.as(sender).post(messagesPath, toChannel(room.id));
  const typing = () =>
    scene.as(sender).post("/api/v1/typing", {
      type: "channel",
      op: "start",
      stream_id: room.id,
      topic: "lunch",
    });

  /** Starts the requests, each until it waits or ends, while the lock blocks the first. */
  async function inOrder(
    lock: (tx: Tx) => Promise<unknown>,
    requests: ReadonlyArray<() => Promise<unknown>>,
  ): Promise<LoggedEvent[]> {
    const { db, org } = scene;
    const { events } = await eventsOf(db, org.realm.id, async () => {
      const running: Array<Promise<unknown>> = [];
      let ended = 0;
      await db.transaction(async (tx) => {
        await lock(tx);
        for (const request of requests) {
          running.push(request().finally(() => ended++));
          await waitFor(
            async () => (await countWaiting(scene.db.pool)) + ended === running.length,
            {
              what: "the request waits, or is done",
            },
          );
        }
      });
      await Promise.all(running);
    });
    return events;
  }

  /** After the receivers are determined, before the commit. */
  const copies = (tx: Tx) => tx.rows("LOCK TABLE user_messages IN SHARE MODE");
  /** At the commit. */
  const head = (tx: Tx) =>
    tx.rows("SELECT FROM event_head WHERE realm_id = $1 FOR UPDATE", [scene.org.realm.id]);

  const ofRoom = (events: readonly LoggedEvent[], type: string) =>
    events.findIndex((event) => event.type === type);
  async function hasCopy({ id }: TestAccount): Promise<boolean> {
    const rows = await scene.db.rows(
      `SELECT FROM user_messages um JOIN messages m ON m.id = um.message_id
       WHERE um.user_id = $1 AND m.recipient_id = $2`,
      [id, room.recipientId],
    );
    return rows.length > 0;
  }

  it("reaches the account before the unsubscription event if it was first", async () => {
    const events = await inOrder(copies, [sending, () => removing(leaver)]);
    const [message, removal] = [ofRoom(events, "message"), ofRoom(events, "subscription")];
    expect(message).to.be.within(0, removal - 1);
    expect(events[message]?.audience).to.have.members([sender.id, leaver.id]);
    expect(await hasCopy(leaver)).to.equal(true);
  });

  it("does not reach the account if the unsubscription was first", async () => {
    const events = await inOrder(head, [() => removing(leaver), sending]);
    const [message, removal] = [ofRoom(events, "message"), ofRoom(events, "subscription")];
    expect(message).to.be.greaterThan(removal);
    expect(events[message]?.audience).to.deep.equal([sender.id]);
    expect(await hasCopy(leaver)).to.equal(false);
  });

  it("is refused if the sender was unsubscribed first", async () => {
    const answers: Refusable[] = [];
    const events = await inOrder(head, [
      () => removing(sender),
      async () => answers.push(await sending()),
    ]);
    expect(answers).to.have.length(1);
    for (const answer of answers) refusedWith(answer);
    expect(ofRoom(events, "message")).to.equal(-1);
  });

  it("fails when due if the sender was unsubscribed first", async () => {
    const { db, org } = scene;
    const id = await schedule(scene.as(sender), channelMessage(room.id));
    await makeDue(db, id, -1);
    const deliver = () => runJob(db, deliverDue, { realmId: org.realm.id, second: 1 });
    // The delivery waits for two seconds, then reports that it will be retried.
    await inOrder(head, [() => removing(sender), () => deliver().catch(() => {})]);
    await deliver();
    expect(await storedRow(db, id)).to.include({ delivered: false, failed: true });
    expect(await hasCopy(leaver)).to.equal(false);
  });

  it("stays pending and is retried if the unsubscription takes too long", async () => {
    const { db, org } = scene;
    const id = await schedule(scene.as(sender), channelMessage(room.id));
    await makeDue(db, id, -1);
    const deliver = () => runJob(db, deliverDue, { realmId: org.realm.id, second: 1 });
    let removal: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await head(tx);
      removal = removing(leaver);
      await waitFor(async () => (await countWaiting(scene.db.pool)) === 1, {
        what: "the unsubscription waits",
      });
      const error = await deliver().then(String, (failure: Error) => failure.message);
      expect(error).to.contain("lock timeout");
    });
    await removal;
    expect(await storedRow(db, id)).to.include({ delivered: false, failed: false });
    await deliver();
    expect(await storedRow(db, id)).to.include({ delivered: true, failed: false });
    expect(await hasCopy(leaver)).to.equal(false);
  });

  it("sends no typing event to the account if the unsubscription was first", async () => {
    const events = await inOrder(head, [() => removing(leaver), typing]);
    const [received, removal] = [ofRoom(events, "typing"), ofRoom(events, "subscription")];
    expect(received).to.be.greaterThan(removal);
    expect(events[received]?.audience).to.deep.equal([sender.id]);
  });

  it("never reaches the account after the unsubscription event, in any order", async function () {
    const { db, org } = scene;
    for (let round = 0; round < 15; round++) {
      const { id } = await user(db, org.realm);
      const crowd = [sender.id, id];
      room = await channel(db, org.realm, { inviteOnly: true, subscribers: crowd });
      const { events } = await eventsOf(db, org.realm.id, () =>
        Promise.all([sending(), sending(), removing({ ...leaver, id }), sending()]),
      );
      const removal = ofRoom(events, "subscription");
      expect(removal).to.be.at.least(0);
      for (const event of events.slice(removal).filter(({ type }) => type === "message"))
        expect(event.audience).to.deep.equal([sender.id]);
    }
  });
});
