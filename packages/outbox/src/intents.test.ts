import { markRead } from "@carillon/jobs";
import { organization, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { countEnded, overdueIntents, unqueuedIntents } from "./relay-intents.ts";
import { claimIntent, failIntent } from "./work-on-intent.ts";

describe("intents", () => {
  const db = useDatabase();

  it("of a job of a newer release are left to its processes", async () => {
    const { realm } = await organization(db);
    await db.rows(
      `INSERT INTO job_intent (realm_id, job, unique_key, payload, run_at, created_at)
       SELECT $1, job, job, '{}', now() - interval '1 h', now() - interval '1 h'
       FROM unnest(ARRAY['known', 'of-tomorrow']) AS job`,
      [realm.id],
    );
    const jobs = ["known"];
    const unqueued = await unqueuedIntents(db, { jobs, olderThanMs: 1_000, limit: 10 });
    expect(unqueued.map(({ job }) => job)).to.deep.equal(["known"]);
    await db.rows("UPDATE job_intent SET enqueued_at = run_at");
    const overdue = await overdueIntents(db, { jobs, overdueMs: 1_000, limit: 10 });
    expect(overdue.map(({ job }) => job)).to.deep.equal(["known"]);
  });

  it("without an organization cannot be claimed by a job of organizations", async () => {
    const [row] = await db.rows<{ id: number }>(
      `INSERT INTO job_intent (job, unique_key, payload) VALUES ($1, 'nobody', $2) RETURNING id`,
      [markRead.name, { channelId: 1, upTo: 1, readers: [{ userId: 1, after: 0 }] }],
    );
    const ref = { intentId: row?.id ?? 0, version: 1 };
    const refusal = await db
      .transaction((tx) => claimIntent(tx, markRead, ref))
      .catch((error: Error) => error.message);
    expect(refusal).to.match(/belongs to no organization/);
  });

  it("store any failure reason, cut to 1,000 characters and without U+0000", async () => {
    const made = await db.rows<{ id: number }>(
      `INSERT INTO job_intent (job, unique_key, payload)
       SELECT 'hostile', key, '{}' FROM unnest(ARRAY['failed', 'ended']) AS key RETURNING id`,
    );
    const [failed, ended] = made.map(({ id }) => ({ intentId: id, version: 1 }));
    if (!failed || !ended) throw new Error("they are not there");
    const reason = `550 \0 ${"🎉".repeat(2_000)}`;
    await failIntent(db, failed, { reason, dead: true });
    await countEnded(db, [{ ...ended, attempts: 3, limit: 3, reason }]);
    const rows = await db.rows<{ state: string; error: string }>(
      "SELECT state, last_error AS error FROM job_intent WHERE id = ANY($1::bigint[])",
      [[failed.intentId, ended.intentId]],
    );
    const kept = { state: "dead", error: `550 \ufffd ${"🎉".repeat(994)}` };
    expect(rows).to.deep.equal([kept, kept]);
  });
});
