import { addToCounter } from "@carillon/scheduling";
import { deliverDue } from "@carillon/jobs";
import {
  channel,
  messageSeries,
  organization,
  scheduledMessage,
  waitFor,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";
import { backends, useDashboard } from "../test-support.ts";

type Metrics = ReadonlyMap<string, number>;

function parse(text: string): Metrics {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

for (const kind of backends)
  describe(`the metrics, on ${kind}`, () => {
    const dashboard = useDashboard(kind);
    let org: TestOrganization;
    let to: TestChannel;

    before("make an organization", async () => {
      org = await organization(dashboard().db);
      to = await channel(dashboard().db, org.member);
    });
    afterEach("remove the rows", async () => {
      const { db } = dashboard();
      for (const table of [
        "scheduled_messages",
        "message_series",
        "messages",
        "job_intent",
        "counters",
      ]) {
        await db.rows(`DELETE FROM ${table}`);
      }
      await db.rows("DELETE FROM process_heartbeats");
    });

    /** Readings are kept for a moment: asks until they are as wanted. */
    async function metrics(wanted: (found: Metrics) => boolean = () => true): Promise<Metrics> {
      return waitFor(
        async () => {
          const answer = await dashboard().ask("/metrics", { as: "nobody" });
          expect(answer.headers.get("content-type")).to.match(/^text\/plain; version=0\.0\.4/);
          const found = parse(await answer.text());
          return wanted(found) ? found : undefined;
        },
        { what: "the metrics are as wanted", everyMs: 100 },
      );
    }

    const schedule = (
      dueIn: number,
      row: NonNullable<Parameters<typeof scheduledMessage>[3]>["row"],
    ) => scheduledMessage(dashboard().db, org.member, to, { dueIn, ...(row ? { row } : {}) });

    it("are 0 initially", async () => {
      const found = await metrics();
      for (const name of [
        "carillon_due_lag_seconds",
        "carillon_outbox_oldest_seconds",
        'carillon_scheduled_messages_pending{horizon="within"}',
        'carillon_scheduled_messages_pending{horizon="after"}',
        "carillon_scheduled_messages_failed",
        "carillon_reminders_pending",
        "carillon_reminders_failed",
        "carillon_intents_pending",
        "carillon_dead_letters",
        "carillon_bouncer_circuit",
        "carillon_recent_deliveries",
        "carillon_sweep_repairs_total",
        "carillon_series_repaired_total",
        'carillon_series{state="active"}',
        'carillon_series{state="paused"}',
        'carillon_series{state="ended"}',
        "carillon_clock_skew_seconds",
        'carillon_processes{role="worker"}',
        'carillon_queue_jobs{queue="delivery",state="waiting"}',
        'carillon_pool_waiting{pool="database"}',
      ]) {
        expect(found.get(name), name).to.equal(0);
      }
      expect(found.get('carillon_store_up{store="database"}')).to.equal(1);
      expect(found.get('carillon_store_up{store="queues"}')).to.equal(1);
      expect(found.has('carillon_recent_delivery_lateness_seconds{statistic="worst"}')).to.equal(
        false,
      );
    });

    it("show the lag of the oldest due message, and count pending ones", async () => {
      await schedule(-300, { enqueuedAt: new Date() });
      await schedule(-100, { enqueuedAt: new Date() });
      await schedule(3_600, { enqueuedAt: new Date() });
      await schedule(100_000, {});
      await schedule(-9_000, { failed: true, failureMessage: "no" });
      const found = await metrics((m) => m.get("carillon_scheduled_messages_failed") === 1);
      expect(found.get("carillon_due_lag_seconds")).to.be.within(300, 3_000);
      expect(found.get('carillon_scheduled_messages_pending{horizon="within"}')).to.equal(3);
      expect(found.get('carillon_scheduled_messages_pending{horizon="after"}')).to.equal(1);
      expect(found.get("carillon_outbox_oldest_seconds")).to.equal(0);
    });

    it("count reminders separately, and include them in the lag", async () => {
      const { db } = dashboard();
      const kind = { kind: 2, reminderTargetMessageId: 1, enqueuedAt: new Date() };
      const remind = (dueIn: number, failed = false) =>
        scheduledMessage(db, org.member, [org.member], { dueIn, row: { ...kind, failed } });
      const late = await remind(-300);
      await remind(3_600);
      await remind(-9_000, true);
      await schedule(100_000, {});
      const found = await metrics((m) => m.get("carillon_reminders_failed") === 1);
      expect(found.get("carillon_reminders_pending")).to.equal(2);
      expect(found.get("carillon_due_lag_seconds")).to.be.within(300, 3_000);
      expect(found.get('carillon_scheduled_messages_pending{horizon="within"}')).to.equal(0);
      expect(found.get('carillon_scheduled_messages_pending{horizon="after"}')).to.equal(1);
      expect(found.get("carillon_scheduled_messages_failed")).to.equal(0);
      const page = await (await dashboard().ask(`/look-up?id=${late.id}`)).text();
      expect(page).to.contain(`<h2>Reminder ${late.id}</h2>`).and.contain("the account itself");
    });

    it("count series by state", async () => {
      const { db } = dashboard();
      for (const [state, reason] of [
        ["active", null],
        ["active", null],
        ["paused", "failures"],
        ["ended", null],
      ] as const)
        await messageSeries(db, org.member, to, { state, pausedReason: reason });
      const found = await metrics((m) => m.get('carillon_series{state="active"}') === 2);
      expect(found.get('carillon_series{state="paused"}')).to.equal(1);
      expect(found.get('carillon_series{state="ended"}')).to.equal(1);
    });

    it("show how long a message has lacked its delivery job", async () => {
      const old = new Date(Date.now() - 50_000);
      await schedule(3_600, { createdAt: old });
      // Beyond the horizon of delivery jobs, just within it, and edited: none of them has waited longer than that.
      await schedule(100_000, { createdAt: new Date(Date.now() - 9e6) });
      await schedule(86_390, { createdAt: new Date(Date.now() - 9e6) });
      await schedule(3_600, { createdAt: new Date(Date.now() - 9e6), version: 2 });
      const waits = (m: Metrics) => m.get("carillon_outbox_oldest_seconds") ?? 0;
      expect(waits(await metrics((m) => waits(m) > 0))).to.be.within(50, 3_000);
    });

    it("show how long jobs have been outside their queue, and count dead letters", async () => {
      await dashboard().db.rows(
        `INSERT INTO job_intent (job, unique_key, payload, created_at, run_at, state, enqueued_at) VALUES
           ('a', 'a-1', '{}', now() - interval '40 s', now() - interval '40 s', 'pending', NULL),
           ('a', 'a-2', '{}', now() - interval '9 h', now() - interval '9 h', 'pending', now()),
           ('a', 'a-3', '{}', now() - interval '9 h', now() + interval '1 h', 'pending', NULL),
           ('a', 'a-4', '{}', now() - interval '9 h', now() - interval '20 s', 'pending', NULL),
           ('a', 'a-5', '{}', now() - interval '9 h', now() - interval '9 h', 'dead', NULL),
           ('a', 'a-6', '{}', now() - interval '9 h', now() - interval '9 h', 'done', NULL)`,
      );
      const found = await metrics((m) => m.get("carillon_dead_letters") === 1);
      expect(found.get("carillon_intents_pending")).to.equal(4);
      expect(found.get("carillon_outbox_oldest_seconds")).to.be.within(40, 3_000);
    });

    it("show an open circuit of the push bouncer", async () => {
      await dashboard().db.rows(
        "UPDATE bouncer_circuit SET failures = 5, no_calls_until = now() - interval '1 h'",
      );
      await metrics((m) => m.get("carillon_bouncer_circuit") === 1);
    });

    it("show the latency of the last hour", async () => {
      const { db } = dashboard();
      for (const [late, ago] of [
        [0.2, 60],
        [0.2, 60],
        [7, 60],
        [500, 4_000],
      ] as const) {
        const { id } = await schedule(0, {});
        await db.rows(
          `WITH sent AS (
             INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content,
               rendered_content, render_version, client_id, sent_at, scheduled_message_id)
             SELECT realm_id, sender_id, recipient_id, true, topic, content, rendered_content, 1, client_id,
               now() - make_interval(secs => $2), id FROM scheduled_messages WHERE id = $1 RETURNING id, sent_at)
           UPDATE scheduled_messages s SET delivered = true, delivered_message_id = sent.id,
             deliver_at = sent.sent_at - make_interval(secs => $3) FROM sent WHERE s.id = $1`,
          [id, ago, late],
        );
      }
      const found = await metrics((m) => m.get("carillon_recent_deliveries") === 3);
      const statistic = (name: string) =>
        found.get(`carillon_recent_delivery_lateness_seconds{statistic="${name}"}`);
      expect(statistic("worst")).to.be.closeTo(7, 0.001);
      expect(statistic("median")).to.be.closeTo(0.2, 0.001);
      expect(statistic("p95")).to.be.within(6, 7);
    });

    it("count the jobs of each queue", async () => {
      const second = 4_000_000_000;
      await dashboard().queues.publish([
        { job: deliverDue, payload: { realmId: 1, second } },
        { job: deliverDue, payload: { realmId: 2, second }, delayMs: 3_600_000 },
        { job: deliverDue, payload: { realmId: 3, second }, delayMs: 3_600_000 },
      ]);
      const depth = (m: Metrics, state: string) =>
        m.get(`carillon_queue_jobs{queue="delivery",state="${state}"}`);
      const found = await metrics((m) => depth(m, "delayed") === 2);
      expect(depth(found, "waiting")).to.equal(1);
    });

    it("count running processes and sum their counters", async () => {
      const { db } = dashboard();
      await db.rows(
        `INSERT INTO process_heartbeats (process_id, role, host, pid, counters, last_seen) VALUES
           (gen_random_uuid(), 'worker', 'secret-host', 1, '{"stalled": 2, "note": "x"}', now() + interval '1 h'),
           (gen_random_uuid(), 'worker', 'secret-host', 2, '{"stalled": 3}', now() + interval '1 h'),
           (gen_random_uuid(), 'worker', 'secret-host', 3, '{"stalled": 9}', now() - interval '25 s'),
           (gen_random_uuid(), 'gateway', 'secret-host', 4, '{}', now() + interval '1 h')`,
      );
      await addToCounter(db, "sweep_repairs", 4);
      await addToCounter(db, "retention_removals", 2);
      await addToCounter(db, "series_repaired", 5);
      await addToCounter(db, "not declared", 2);
      const found = await metrics((m) => m.get('carillon_processes{role="worker"}') === 2);
      expect(found.get('carillon_processes{role="gateway"}')).to.equal(1);
      expect(found.get('carillon_process_counters{role="worker",counter="stalled"}')).to.equal(5);
      expect(
        await metrics((m) => m.get("carillon_sweep_repairs_total") === 4).then((m) =>
          m.get("carillon_retention_removals_total"),
        ),
      ).to.equal(2);
      expect((await metrics()).get("carillon_series_repaired_total")).to.equal(5);
      const text = await (await dashboard().ask("/metrics", { as: "nobody" })).text();
      expect(text).not.to.match(/secret-host|not declared/);
    });
  });
