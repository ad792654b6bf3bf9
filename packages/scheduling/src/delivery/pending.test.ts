import { channel, organization, scheduledMessage, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { deliveriesWithoutJob, overdueRealms } from "./delivery-jobs.ts";
import { countsTowardsBound, pending, undelivered } from "./pending.ts";

interface Plan {
  readonly "QUERY PLAN": ReadonlyArray<{ Plan: { Plans: ReadonlyArray<Record<string, string>> } }>;
}

describe("pending", () => {
  const db = useDatabase();

  it("matches the rows that the delivery claims, reminders too", async () => {
    const { realm, member } = await organization(db);
    const room = await channel(db, realm, { subscribers: [member] });
    const { id } = await scheduledMessage(db, member, room, { dueIn: -60 });
    const withoutJob = async () => {
      await db.rows("UPDATE scheduled_messages SET alarmed_at = NULL");
      return deliveriesWithoutJob(db, { horizonMs: 0, olderThanMs: 0, limit: 10 });
    };
    expect(await overdueRealms(db, 10_000)).to.have.length(1);
    expect(await withoutJob()).to.have.length(1);
    await db.rows(
      "UPDATE scheduled_messages SET kind = 2, reminder_target_message_id = 1, channel_id = NULL, topic = '' WHERE id = $1",
      [id],
    );
    expect(await overdueRealms(db, 10_000)).to.have.length(1);
    expect(await withoutJob()).to.have.length(1);
    for (const ended of ["failed = true", "failed = false, delivered = true"]) {
      await db.rows(`UPDATE scheduled_messages SET ${ended} WHERE id = $1`, [id]);
      expect(await overdueRealms(db, 10_000)).to.deep.equal([]);
      expect(await withoutJob()).to.deep.equal([]);
    }
  });

  const looks = {
    scheduled_messages_due_idx: `realm_id = 1 AND ${pending("s")} ORDER BY deliver_at, id`,
    scheduled_messages_unalarmed_idx: `alarmed_at IS NULL AND ${pending("s")} ORDER BY deliver_at`,
    scheduled_messages_pending_idx: `${pending("s")} ORDER BY deliver_at`,
    scheduled_messages_sender_idx: `sender_id = 1 AND ${undelivered("s", "1")} ORDER BY deliver_at, id`,
  };
  for (const [index, look] of Object.entries(looks))
    it(`uses ${index} without a filter`, async () => {
      const others = Object.keys(looks).filter((other) => other !== index);
      const plan = await planOf(
        `SELECT id FROM scheduled_messages s WHERE ${look} LIMIT 1`,
        others,
      );
      expect(plan?.["Index Name"]).to.equal(index);
      expect(plan).not.to.have.property("Filter");
    });

  it("counts the pending messages of an account from the index alone", async () => {
    const counted = `sender_id = 1 AND ${countsTowardsBound("s")}`;
    const plan = await planOf(`SELECT count(*) FROM scheduled_messages s WHERE ${counted}`);
    expect(plan?.["Node Type"]).to.equal("Index Only Scan");
    expect(plan?.["Index Name"]).to.equal("scheduled_messages_sender_idx");
  });

  /** Returns how the query reads its table by an index, and without those that are left out. */
  async function planOf(query: string, without: readonly string[] = []) {
    const rolledBack = new Error("rolled back");
    const plans: Plan[] = [];
    const explain = db.transaction(async (tx) => {
      if (without.length > 0) await tx.rows(`DROP INDEX ${without.join(", ")}`);
      await tx.rows("SET LOCAL enable_seqscan = off");
      await tx.rows("SET LOCAL enable_sort = off");
      await tx.rows("SET LOCAL enable_bitmapscan = off");
      plans.push(...(await tx.rows<Plan>(`EXPLAIN (FORMAT json) ${query}`)));
      throw rolledBack;
    });
    expect(await explain.catch((error: unknown) => error)).to.equal(rolledBack);
    return plans[0]?.["QUERY PLAN"][0]?.Plan.Plans[0];
  }
});
