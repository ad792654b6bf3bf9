import { randomUUID } from "node:crypto";
import type { Tx } from "@carillon/db";
import { organization, useDatabase, type TestAccount } from "@carillon/testkit";
import { expect } from "chai";

import { collectGarbage } from "./garbage.ts";
import { QueueLookup } from "./queue-lookup.ts";
import { evictQueues, insertQueue, readQueueBegin } from "./queues.ts";

// events.md §2, §6: lifetimes. The database's clock stands still within one transaction, so seconds are exact.
describe("lifetimes of queues and of the event log", () => {
  const db = useDatabase();
  let reader: TestAccount;
  const anyKey = new Uint8Array(32);
  const lookup = new QueueLookup({
    table: "users",
    viewerRole: "0",
    mayListenToAll: "true",
    keyDigest: "u.api_key_digest",
    isActive: "u.is_active",
  });
  before(async () => ({ member: reader } = await organization(db)));

  const atOnce = <T>(work: (tx: Tx) => Promise<T>) => db.transaction(work);
  const queue = async (tx: Tx, idleTimeout: number) => {
    const { id: userId, realmId } = reader;
    const options = {
      eventTypes: null,
      allPublicChannels: false,
      applyMarkdown: false,
      clientGravatar: true,
      slimPresence: false,
      narrow: [],
      capabilities: [],
    };
    const begin = await readQueueBegin(tx, userId);
    const id = await insertQueue(tx, { realmId, userId, ...begin, idleTimeout, options });
    if (id === undefined) throw new Error("the account is not active");
    return id;
  };
  const unusedFor = (tx: Tx, id: string, seconds: number) =>
    tx.rows(
      "UPDATE event_queue SET last_seen = now() - make_interval(secs => $2) WHERE queue_id = $1",
      [id, seconds],
    );
  const clear = (tx: Tx) => collectGarbage({ transaction: (work) => work(tx) });

  for (const [idleTimeout, slack] of [
    [1, 5],
    [59, 5],
    [60, 60],
    [600, 60],
    [604_800, 60],
  ] as const)
    it(`a queue of ${idleTimeout} s is served ${slack} s longer, and its row kept for 30 s more`, () =>
      atOnce(async (tx) => {
        await tx.rows("DELETE FROM event_queue");
        const id = await queue(tx, idleTimeout);
        const after = async (seconds: number) => {
          await unusedFor(tx, id, idleTimeout + seconds);
          const poll = { userId: reader.id, keyDigest: anyKey, queueId: id };
          const isServed = (await lookup.find(tx, poll)) !== undefined;
          return [isServed, (await clear(tx))?.queues];
        };
        expect(await after(slack)).to.deep.equal([true, 0]);
        expect(await after(slack + 0.001)).to.deep.equal([false, 0]);
        expect(await after(slack + 30)).to.deep.equal([false, 0]);
        expect(await after(slack + 30.001)).to.deep.equal([false, 1]);
      }));

  for (const [who, write] of [
    ["touch", (ids: string[]) => lookup.touch(db, ids)],
    ["collectGarbage", () => collectGarbage(db)],
    [
      "evictQueues",
      async () => {
        await db.rows(
          `INSERT INTO event_queue (queue_id, realm_id, user_id, base_seq, options, idle_timeout)
           SELECT gen_random_uuid(), $1, $2, 0, '{}', 600 FROM generate_series(1, 100)`,
          [reader.realmId, reader.id],
        );
        await evictQueues(db, reader.id, randomUUID());
      },
    ],
  ] as const)
    it(`${who} skips a locked queue`, async () => {
      await db.rows("DELETE FROM event_queue");
      const ids = await db.transaction(async (tx) => [await queue(tx, 600), await queue(tx, 600)]);
      await db.transaction((tx) => Promise.all(ids.map((id) => unusedFor(tx, id, 10_000))));
      const untouched = () =>
        db.rows<{ id: string }>(
          "SELECT queue_id AS id FROM event_queue WHERE last_seen < now() - interval '1 hour'",
        );
      await db.transaction(async (tx) => {
        await tx.rows("DELETE FROM event_queue WHERE queue_id = $1", [ids[0]]);
        await write(ids);
        expect(await untouched()).to.deep.equal([{ id: ids[0] }]);
      });
    });

  it("the log is kept for the longest idle time-out plus the longest lag", () =>
    atOnce(async (tx) => {
      await tx.rows("DELETE FROM event_log");
      await tx.rows("DELETE FROM event_queue");
      const written = async (age: number) => {
        await tx.rows(
          `INSERT INTO event_log (realm_id, seq, type, payload, created_at)
           VALUES ($1, 1, 'user_status', '{}', now() - make_interval(secs => $2))
           ON CONFLICT (realm_id, seq) DO UPDATE SET created_at = EXCLUDED.created_at`,
          [reader.realmId, age],
        );
        return (await clear(tx))?.events;
      };
      // Without a queue, too: a client may be about to register.
      for (const idleTimeout of [600, 1_200, 604_800]) {
        if (idleTimeout > 600) await queue(tx, idleTimeout);
        expect(await written(idleTimeout + 380)).to.equal(0);
        expect(await written(idleTimeout + 380.001)).to.equal(1);
      }
    }));
});
