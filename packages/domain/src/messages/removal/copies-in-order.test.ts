import type { Tx } from "@carillon/db";
import {
  channel,
  crowd,
  organization,
  pastMessages,
  subscribe,
  type TestChannel,
  type TestOrganization,
  useDatabase,
  useBlocker,
} from "@carillon/testkit";
import { expect } from "chai";

import { runMarkReadStep } from "../flags/mark-read-step.ts";
import { archiveMessages } from "./archive-messages.ts";

// docs/decisions/018: copies are locked by account, then by message, to prevent deadlocks.
describe("The lock order of copies", () => {
  const db = useDatabase();
  const blocker = useBlocker(db);
  let org: TestOrganization;
  let room: TestChannel;
  let people: number[];
  let ids: number[];

  beforeEach(async () => {
    org = await organization(db);
    room = await channel(db, org.owner);
    const some = await crowd(db, org.member, 12);
    people = some.map(({ id }) => id);
    await subscribe(db, room, ...some);
    ids = await pastMessages(db, room, org.owner, { count: 30 });
    // The heap order is the reverse of the lock order.
    await db.rows(
      `WITH gone AS (DELETE FROM user_messages RETURNING *)
       INSERT INTO user_messages SELECT * FROM gone ORDER BY message_id DESC, user_id DESC`,
    );
  });

  const removing = (tx: Tx) =>
    archiveMessages(tx, { realmId: org.realm.id, removalId: 1 }, ids, {
      ofCopies: [],
      limited: [room.recipientId],
      readerIds: [people.filter((_, n) => n % 2 === 0)],
    });
  const works: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
    "removes messages": removing,
    "marks messages read of those who left": (tx) =>
      runMarkReadStep(tx, org.realm.id, 1, {
        channelId: room.id,
        upTo: ids.at(-1) ?? 0,
        readers: people.toReversed().map((userId) => ({ userId, after: 0 })),
      }),
  };
  /** Planner settings that force different plans. */
  const plans: ReadonlyArray<readonly string[]> = [
    [],
    ["enable_indexscan", "enable_indexonlyscan"],
    ["enable_nestloop", "enable_hashjoin"],
    ["enable_nestloop", "enable_mergejoin", "enable_indexscan", "enable_bitmapscan"],
  ];

  for (const [title, work] of Object.entries(works))
    for (const off of plans)
      it(`${title}: holds no later copy while waiting for one, without ${off.join(", ") || "nothing"}`, async () => {
        const [userId, messageId] = [people[5] ?? 0, ids[10] ?? 0];
        await blocker.lock(
          "SELECT FROM user_messages WHERE user_id = $1 AND message_id = $2 FOR UPDATE",
          [userId, messageId],
        );
        const working = db.transaction(async (tx) => {
          for (const setting of off) await tx.rows(`SET LOCAL ${setting} = off`);
          await work(tx);
        });
        await blocker.untilWaiting(1, "it waits for the copy");
        const free = await db.rows<{ userId: number; id: number }>(
          `SELECT user_id AS "userId", message_id AS id FROM user_messages
           WHERE message_id = ANY($1::bigint[]) FOR UPDATE SKIP LOCKED`,
          [ids],
        );
        const all = people.flatMap((one) => ids.map((id) => ({ userId: one, id })));
        const later = all.filter(
          (one) => one.userId > userId || (one.userId === userId && one.id > messageId),
        );
        expect(free).to.have.deep.members(later);
        await blocker.release();
        await working;
      });

  it("removes the latest version of a copy that changed while waiting for its lock", async () => {
    const [userId, messageId] = [people[5] ?? 0, ids[10] ?? 0];
    await blocker.lock(
      "UPDATE user_messages SET flags = flags | 2 WHERE user_id = $1 AND message_id = $2",
      [userId, messageId],
    );
    const working = db.transaction((tx) => removing(tx));
    await blocker.untilWaiting(1, "it waits for the copy");
    await blocker.lock("COMMIT");
    await working;
    const left = await db.rows("SELECT FROM user_messages WHERE message_id = ANY($1::bigint[])", [
      ids,
    ]);
    expect(left).to.deep.equal([]);
    const [kept] = await db.rows<{ flags: number }>(
      `SELECT flags FROM archived_messages m, unnest(m.holder_ids, m.holder_flags) AS copy (user_id, flags)
       WHERE m.id = $1 AND copy.user_id = $2`,
      [messageId, userId],
    );
    expect((kept?.flags ?? 0) & 2).to.equal(2);
  });
});
