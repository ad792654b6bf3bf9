import { channel, organization, scheduledMessage, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import type { Finding } from "./readings/verdict.ts";
import { useDashboard } from "./test-support.ts";

interface Overview {
  readonly verdict: { readonly well: boolean; readonly findings: readonly Finding[] };
}

describe("the overview", () => {
  const dashboard = useDashboard();

  const heartbeat = (role: string, secondsAgo: number) =>
    dashboard().db.rows(
      `INSERT INTO process_heartbeats (process_id, role, host, pid, last_seen)
       VALUES (gen_random_uuid(), $1, 'machine', 17, now() - make_interval(secs => $2))`,
      [role, secondsAgo],
    );

  /** Waits for the number of findings: the dashboard caches readings for a moment. */
  const findings = (count: number) =>
    waitFor(
      async () => {
        const { verdict } = (await dashboard().json("/")) as Overview;
        expect(verdict.well).to.equal(verdict.findings.length === 0);
        return verdict.findings.length === count ? verdict.findings : undefined;
      },
      { what: `there are ${count} findings`, everyMs: 100 },
    );
  const page = async () => (await dashboard().ask("/")).text();

  it("says that all is well only without findings", async () => {
    const { db } = dashboard();
    // Heartbeats in the future, so that no process counts as lost during the test.
    await heartbeat("worker", -3_600);
    await heartbeat("gateway", -3_600);
    expect(await findings(0)).to.deep.equal([]);
    expect(await page()).to.contain("All is well");

    const { realm, member } = await organization(db);
    const to = await channel(db, member);
    await heartbeat("worker", 23);
    await db.rows(
      `INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, due_at, reason, process)
       SELECT $1, n, 1, 1, $2, now(), CASE WHEN n > 10 THEN 'The <b>channel</b> is archived.' ELSE 'Too late.' END, 'h:1'
       FROM generate_series(1, 60) n`,
      [realm.id, member.id],
    );
    const { id } = await scheduledMessage(db, member, to);
    await db.rows(
      `WITH due AS (
         INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, content, rendered_content,
           client_id, deliver_at, read_by_sender, delivered, delivered_message_id)
         SELECT realm_id, sender_id, recipient_id, channel_id, 'x', 'x', client_id, now() - interval '1 minute', false, true,
           900000 + n FROM scheduled_messages, generate_series(1, 20) n WHERE id = $1 RETURNING *)
       INSERT INTO messages (id, realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id, sent_at, scheduled_message_id)
       SELECT delivered_message_id, realm_id, sender_id, recipient_id, true, '', content, content, 1, client_id,
         deliver_at + interval '4.4 s', id FROM due`,
      [id],
    );

    const found = await findings(3);
    expect(found.map(({ trouble }) => trouble)).to.deep.equal(["late", "refused", "process-lost"]);
    expect(found[1]).to.deep.include({
      text: "60 messages and reminders failed in the last hour, because the organization no longer allows them.",
      details: ["50 × The <b>channel</b> is archived.", "10 × Too late."],
    });
    expect(found[0]?.text).to.contain("p95 4.4 s (limit 2 s)");
    expect(found[2]?.details[0]).to.match(/^worker machine:17, last seen \d+ s ago$/);
    const shown = await page();
    expect(shown).not.to.contain("All is well");
    expect(shown).to.contain("50 × The &lt;b&gt;channel&lt;/b&gt; is archived.");
    expect(shown).to.contain('<a href="/failed">60 messages and reminders failed in the last hour');
  });

  it("distinguishes processes that were stopped from those that were lost", async () => {
    await dashboard().db.rows(
      `INSERT INTO process_heartbeats (process_id, role, host, pid, last_seen, stopping_since, counters)
       VALUES (gen_random_uuid(), 'worker', 'stopped', 18, now() - interval '10 minutes', now() - interval '11 minutes',
         '{"completed": 5, "notSent": 2, "alarms": 3, "filesAway": 0}')`,
    );
    const shown = await waitFor(
      async () => {
        const text = await page();
        return text.includes("<td>stopped</td>") ? text : undefined;
      },
      { what: "the page shows the process", everyMs: 100 },
    );
    expect(shown).to.match(/<td class="state">\s*stopped by SIGTERM, 10 min( \d+ s)? ago/);
    for (const figure of [
      "jobs completed: 5",
      "messages failed: 2",
      "delivery jobs left to the relay: 3",
    ])
      expect(shown).to.contain(figure);
    expect(shown, "the state of the file store, which the verdict shows").not.to.contain(
      "filesAway",
    );
    const { verdict } = (await dashboard().json("/")) as Overview;
    const lost = verdict.findings.find(({ trouble }) => trouble === "process-lost");
    expect((lost?.details ?? []).join()).not.to.contain("stopped:18");
  });

  it("explains each figure, and which failed jobs the queues keep", async () => {
    const shown = await page();
    const figures = shown.match(/<dt>/g) ?? [];
    expect(figures.length).to.be.at.least(10);
    expect(shown.match(/<div title="[^"]+">\s*<dt>/g)).to.have.length(figures.length);
    expect(shown).to.match(
      /<p class="soft">\s*Failed jobs are kept in the queue for 14 days, even when they were replayed/,
    );
    expect(shown).not.to.match(/<th[^>]*>Completed/);
  });
});
