import { markRead } from "@carillon/jobs";
import { flag, lockAudiencesShared } from "@carillon/model";
import {
  channel,
  type Gateway,
  pastMessages,
  runIntents,
  startGateway,
  type TestAccount,
  type TestChannel,
  user,
  useBlocker,
  useScene,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

import { deferToday, recordVisit, sendAway } from "./support/away-world.ts";

/** More messages than one transaction makes copies of. */
const many = 12_000;

// docs/decisions/083
describe("While a person comes back after many messages", function () {
  this.timeout(120_000);
  const scene = useScene();
  const { db } = scene;
  const blocker = useBlocker(db);
  let person: TestAccount;
  let room: TestChannel;
  let missed: readonly number[];

  beforeEach(async () => {
    const { org } = scene;
    person = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [org.owner, person] });
    await sendAway(db, person);
    const { owner } = org;
    const old = await pastMessages(db, room, owner, { count: many, daysAgo: 1, holders: [] });
    missed = [...old, ...(await pastMessages(db, room, owner, { count: 3, holders: [] }))];
  });

  /** Counts the person's copies of the missed messages by the value of their flags. */
  async function copies(): Promise<Map<number, number>> {
    const rows = await db.rows<{ flags: number; count: number }>(
      `SELECT flags, count(*)::int AS count FROM user_messages WHERE user_id = $1 AND message_id = ANY($2)
       GROUP BY flags`,
      [person.id, missed],
    );
    return new Map(rows.map(({ flags, count }) => [flags, count]));
  }

  async function rangesLeft(): Promise<number> {
    const rows = await db.rows(
      "SELECT FROM subscriptions WHERE user_id = $1 AND deferred_after IS NOT NULL",
      [person.id],
    );
    return rows.length;
  }

  /** Runs `change` after the first transaction has made copies, while others follow. */
  async function duringReturn(change: () => Promise<unknown>): Promise<void> {
    const returning = recordVisit(db, person, 100_000);
    await waitFor(async () => (await copies()).size > 0, { what: "some copies exist" });
    await Promise.all([returning, change()]);
    await recordVisit(db, person);
  }

  it("a request is refused when its time is over, although it waits for the row of the channel", async () => {
    await blocker.lock("SELECT FROM channels WHERE id = $1 FOR UPDATE", [room.id]);
    const returning = recordVisit(db, person, 100).catch((error: unknown) => error);
    await blocker.untilWaiting(1, "the request waits");
    expect(await returning).to.deep.include({ facts: { reason: "unavailable", retryAfter: 2 } });
    await blocker.release();
    expect(await recordVisit(db, person, 100_000)).to.equal(missed.length);
  });

  it("a request makes the copies of the other channels while messages are being sent to one", async () => {
    const { org } = scene;
    const other = await user(db, org.realm);
    const subscribers = [org.owner, other];
    const quiet = await channel(db, org.realm, { subscribers });
    const busy = await channel(db, org.realm, { subscribers });
    await sendAway(db, other);
    for (const one of [quiet, busy])
      await pastMessages(db, one, org.owner, { count: 3, holders: [] });
    const madeIn = async () =>
      (
        await db.rows<{ id: number }>(
          `SELECT r.channel_id AS id FROM user_messages u JOIN messages m ON m.id = u.message_id
           JOIN recipients r ON r.id = m.recipient_id WHERE u.user_id = $1 ORDER BY id`,
          [other.id],
        )
      ).map(({ id }) => id);
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const sending = db.transaction(async (tx) => {
      await lockAudiencesShared(tx, [busy.id]);
      await ended;
    });
    const returning = recordVisit(db, other, 100_000);
    try {
      await waitFor(async () => (await madeIn()).length > 0, { what: "copies exist" });
      expect(await madeIn()).to.deep.equal([quiet.id, quiet.id, quiet.id]);
    } finally {
      end();
    }
    await sending;
    expect(await returning).to.equal(6);
  });

  it("ten requests at once to two gateways get all messages, and each copy is made once", async () => {
    const others: Gateway = await startGateway(db);
    try {
      const read = async (gateway: Gateway) => {
        const ask = () =>
          gateway.as(person).get("/api/v1/messages", {
            anchor: "oldest",
            num_before: 0,
            num_after: 5_000,
            narrow: [
              { operator: "channel", operand: room.id },
              { operator: "is", operand: "unread" },
            ],
          });
        let answer = await ask();
        await waitFor(async () => answer.status !== 503 || (answer = await ask()).status !== 503, {
          what: "the copies exist",
        });
        return answer;
      };
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) => read(n % 2 === 0 ? scene.gateway : others)),
      );
      for (const { status, body } of answers) {
        expect(status).to.equal(200);
        const { messages } = body as unknown as { messages: ReadonlyArray<{ id: number }> };
        expect(messages.map(({ id }) => id)).to.deep.equal(missed.slice(0, 5_000));
      }
      expect(await copies()).to.deep.equal(new Map([[0, missed.length]]));
      expect(await rangesLeft()).to.equal(0);
    } finally {
      await others.close();
    }
  });

  it("deactivating and reactivating the person loses no copy", async () => {
    const owner = scene.as(scene.org.owner);
    await duringReturn(async () => {
      expect(await owner.delete(`/api/v1/users/${person.id}`)).to.include({ status: 200 });
      expect(await owner.post(`/api/v1/users/${person.id}/reactivate`)).to.include({ status: 200 });
    });
    expect(await copies()).to.deep.equal(new Map([[0, missed.length]]));
    expect(await rangesLeft()).to.equal(0);
  });

  it("unsubscribing and subscribing the person loses no copy, and marks all as read", async () => {
    const owner = scene.as(scene.org.owner);
    const principals = [person.id];
    await duringReturn(async () => {
      const subscriptions = [room.name];
      const removed = await owner.delete("/api/v1/users/me/subscriptions", {
        subscriptions,
        principals,
      });
      expect(removed).to.include({ status: 200 });
      const added = await owner.post("/api/v1/users/me/subscriptions", {
        subscriptions: [{ name: room.name }],
        principals,
      });
      expect(added).to.include({ status: 200 });
    });
    await runIntents(db, markRead);
    expect(await copies()).to.deep.equal(new Map([[flag.read, missed.length]]));
    expect(await rangesLeft()).to.equal(0);
  });

  it("archiving the channel loses no copy", async () => {
    const owner = scene.as(scene.org.owner);
    await duringReturn(async () => {
      expect(await owner.delete(`/api/v1/streams/${room.id}`)).to.include({ status: 200 });
    });
    expect(await copies()).to.deep.equal(new Map([[0, missed.length]]));
    expect(await rangesLeft()).to.equal(0);
  });

  it("changing AWAY_AFTER_DAYS to 1 and back defers copies until the person comes back again", async () => {
    await recordVisit(db, person);
    await db.rows(
      "UPDATE account_visits SET visited_at = now() - interval '2 days' WHERE user_id = $1",
      [person.id],
    );
    await deferToday(db, 14);
    expect(await rangesLeft(), "14 days").to.equal(0);
    await deferToday(db, 1);
    expect(await rangesLeft(), "1 day").to.equal(1);
    await deferToday(db, 14);
    const later = await pastMessages(db, room, scene.org.owner, { count: 2, holders: [] });
    expect(await recordVisit(db, person)).to.equal(later.length);
    expect(await rangesLeft(), "back").to.equal(0);
  });
});
