import {
  channel,
  eventsOf,
  organization,
  pastMessages,
  waitFor,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";

import { gate, type Gate } from "./support/blockers.ts";
import { waitTimeoutMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

/** More than a batch. */
const messages = 1_200;

describe("Retention", function () {
  this.timeout(240_000);

  it("continues in another worker after a kill in the middle of a batch, and archives each message once", () =>
    inWorld("postgres", (world) =>
      brokenOff(world, async (worker, deletions) => {
        await worker.kill();
        await deletions.drop();
      }),
    ));

  it("continues in another worker while the first is frozen in a batch, and the first does nothing after SIGCONT", () =>
    inWorld("postgres", (world) =>
      brokenOff(
        world,
        async (worker, deletions) => {
          worker.signal("SIGSTOP");
          await deletions.open();
        },
        async (worker) => {
          worker.signal("SIGCONT");
          await worker.waitForLine("messages could not be removed", waitTimeoutMs);
        },
      ),
    ));

  async function brokenOff(
    world: World,
    breakOff: (worker: TestProcess, deletions: Gate) => Promise<void>,
    mend?: (worker: TestProcess) => Promise<void>,
  ): Promise<void> {
    const { db } = world;
    const { owner, member, realm } = await organization(db);
    const room = await channel(db, owner, {
      subscribers: [owner, member],
      row: { messageRetentionDays: 2 },
    });
    const ids = await pastMessages(db, room, owner, { count: messages, daysAgo: 3 });
    const deletions = await gate(db, "DELETE ON messages");
    // The processes set ten seconds themselves; a test of the pool checks that.
    const impatient = new URL(db.url);
    impatient.searchParams.set("idle_in_transaction_session_timeout", "1000");
    const { events } = await eventsOf(db, realm.id, async () => {
      const worker = await world.worker({ DATABASE_URL: impatient.href });
      const waits = async () => (await deletions.waiting()) > 0;
      await waitFor(waits, { what: "a batch is under way", timeoutMs: waitTimeoutMs });
      await breakOff(worker, deletions);
      const free = async () =>
        (
          await db.rows(
            `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database AND d.datname = current_database()
             WHERE locktype = 'advisory' AND classid = 1102`,
          )
        ).length === 0;
      await waitFor(free, { what: "nobody leads any more", timeoutMs: waitTimeoutMs });
      expect(await left()).to.equal(messages);
      world.startWorker();
      await waitFor(async () => (await left()) === 0, {
        what: "another worker goes on",
        timeoutMs: waitTimeoutMs,
      });
      await mend?.(worker);
    });
    const announced = events.flatMap(({ type, payload }) =>
      type === "delete_message" ? (payload["message_ids"] as number[]) : [],
    );
    expect(announced).to.deep.equal(ids);
    const archived = await db.rows("SELECT FROM archived_messages");
    expect(archived).to.have.lengthOf(messages);

    async function left(): Promise<number> {
      return (await db.rows("SELECT FROM messages WHERE recipient_id = $1", [room.recipientId]))
        .length;
    }
  }
});
