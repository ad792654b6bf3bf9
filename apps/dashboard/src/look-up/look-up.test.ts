import type { Condition } from "@carillon/contract";
import { deliveryJob, deliverDue } from "@carillon/jobs";
import {
  channel,
  organization,
  scheduledMessage,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";
import { backends, useDashboard, withhold } from "../test-support.ts";
import type { Found } from "./look-up.ts";

const words = "the secret words <script>alert(1)</script>";

for (const kind of backends)
  describe(`looking something up, on ${kind}`, () => {
    const dashboard = useDashboard(kind);
    let org: TestOrganization;
    let to: TestChannel;

    before(async () => {
      org = await organization(dashboard().db);
      to = await channel(dashboard().db, org.member);
    });

    const find = async (id: string | number) =>
      (await dashboard().json(`/look-up?id=${encodeURIComponent(id)}`)) as Found;
    const page = async (id: string | number) =>
      (await dashboard().ask(`/look-up?id=${encodeURIComponent(id)}`)).text();
    const schedule = (overrides: Parameters<typeof scheduledMessage>[3] = {}) =>
      scheduledMessage(dashboard().db, org.member, to, {
        content: words,
        topic: "the secret topic",
        ...overrides,
      });

    it("finds a pending message with its delivery job in the queue", async () => {
      const { id, deliverAt } = await schedule();
      expect((await find(id)).scheduled).to.have.length(1);
      expect((await find(id)).scheduled[0]?.deliveryJobs).to.deep.equal([]);
      const delivery = { realmId: org.realm.id, scheduledMessageId: id, version: 1, deliverAt };
      await dashboard().queues.publish([deliveryJob(delivery, Date.now())]);
      const [row] = (await find(id)).scheduled;
      expect(row).to.include({ state: "pending", version: 1, deliverAt, enqueuedAt: null });
      expect(row?.deliveryJobs.map(({ id: job, state }) => [job, state])).to.deep.equal([
        [`deliver-due-${org.realm.id}-${deliverAt}`, "delayed"],
      ]);
      const text = await page(id);
      expect(text).to.contain("pending").and.contain(`deliver-due-${org.realm.id}-${deliverAt}`);
    });

    it("shows latency and failure reason, escaped", async () => {
      const late = await schedule({ dueIn: -75 });
      expect(await page(late.id)).to.match(/pending, late by 1 min \d+ s/);
      const row = { failed: true, failureMessage: "You may not <b>post</b> here" };
      const failed = await schedule({ row });
      expect((await find(failed.id)).scheduled[0]).to.include({
        state: "failed",
        failureMessage: "You may not <b>post</b> here",
      });
      expect(await page(failed.id)).to.contain("You may not &lt;b&gt;post&lt;/b&gt; here");
    });

    it("finds a delivered message by either of its ids", async () => {
      const { db } = dashboard();
      const { id } = await schedule();
      const [message] = await db.rows<{ id: number }>(
        `INSERT INTO messages (id, realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
           render_version, client_id, sent_at, scheduled_message_id)
         SELECT 700000 + id, realm_id, sender_id, recipient_id, true, topic, content, rendered_content, 1, client_id,
           deliver_at + interval '2.5 s', id FROM scheduled_messages WHERE id = $1 RETURNING id`,
        [id],
      );
      const messageId = message?.id ?? 0;
      await db.rows(
        "UPDATE scheduled_messages SET delivered = true, delivered_message_id = $2 WHERE id = $1",
        [id, messageId],
      );
      for (const asked of [id, messageId]) {
        const [row] = (await find(asked)).scheduled;
        expect(row).to.include({ id, state: "delivered", deliveredMessageId: messageId });
        expect(await page(asked)).to.match(/Lateness<\/th>\s*<td[^>]*>2.5 s/);
      }
    });

    it("shows that a message was withheld: by which condition and reply, and when", async () => {
      const { db } = dashboard();
      const { id, deliverAt } = await schedule({ dueIn: -90 });
      const condition: Condition = { kind: "reply", by: [org.owner.id] };
      await withhold(db, id, condition, 4_711);
      const { scheduled, withheld } = await find(id);
      expect(scheduled).to.deep.equal([]);
      expect(withheld).to.have.length(1);
      expect(withheld[0]).to.deep.include({
        id,
        realmId: org.realm.id,
        senderId: org.member.id,
        senderEmail: org.member.deliveryEmail,
        channelId: to.id,
        deliverAt,
        condition,
        replyId: 4_711,
      });
      expect(withheld[0]?.withheldAt).to.be.above(deliverAt);
      const text = await page(id);
      expect(text).to.contain("withheld: not sent").and.contain("message 4711");
      expect(text).to.contain(`<code>reply</code> by #${org.owner.id}`);
    });

    it("never shows the text or the topic of a message", async () => {
      const { id } = await schedule();
      const { id: withheld } = await schedule();
      await withhold(dashboard().db, withheld, { kind: "topic_resolved" });
      const address = encodeURIComponent(org.member.deliveryEmail);
      for (const path of [
        `/look-up?id=${id}`,
        `/look-up?id=${withheld}`,
        `/look-up?address=${address}`,
        "/",
        "/dead-letters",
      ]) {
        expect(await (await dashboard().ask(path)).text(), path).not.to.contain("secret");
        expect(JSON.stringify(await dashboard().json(path)), path).not.to.contain("secret");
      }
    });

    it("finds a job in its queue", async () => {
      const second = 4_000_000_000;
      await dashboard().queues.publish([
        { job: deliverDue, payload: { realmId: 99, second }, delayMs: 60_000 },
      ]);
      const { jobs } = await find(`deliver-due-99-${second}`);
      expect(jobs).to.have.length(1);
      expect(jobs[0]).to.deep.include({
        queue: "delivery",
        name: "deliver-due",
        state: "delayed",
        payload: { realmId: 99, second },
      });
      const text = await page(`deliver-due-99-${second}`);
      expect(text).to.contain(`/queues/queue/delivery/deliver-due-99-${second}`);
    });

    it("finds a background job by its id, its key, and its queue job's id", async () => {
      const [made] = await dashboard().db.rows<{ id: number }>(
        `INSERT INTO job_intent (id, job, unique_key, payload, state, attempts, last_error, finished_at)
         VALUES (810001, 'push-notify', 'push-notify-5', '{"content": "secret"}', 'dead', 3, 'no <i>way</i>', now())
         RETURNING id`,
      );
      for (const asked of [String(made?.id), "push-notify-5", `push-notify-${made?.id}-v2-t7`]) {
        const { intents } = await find(asked);
        expect(intents, asked).to.have.length(1);
        expect(intents[0]).to.include({ state: "dead", attempts: 3, uniqueKey: "push-notify-5" });
        const text = await page(asked);
        expect(text).to.contain("no &lt;i&gt;way&lt;/i&gt;").and.not.contain("secret");
      }
    });

    it("reports an unknown or malformed id, escaped", async () => {
      expect((await dashboard().ask("/look-up?id=999999")).status).to.equal(404);
      expect(await page(999_999)).to.contain("Nothing has the id");
      // On Redis these are names of the queue's own keys.
      for (const id of ["wait", "meta", "events", "stalled-check", "999999999999999999"]) {
        expect((await dashboard().ask(`/look-up?id=${id}`)).status, id).to.equal(404);
      }
      const evil = `"><script>alert(1)</script>`;
      for (const id of [evil, "a b", "\0", "x".repeat(300), "1; DROP TABLE users"]) {
        expect((await dashboard().ask(`/look-up?id=${encodeURIComponent(id)}`)).status).to.equal(
          404,
        );
      }
      const text = await page(evil);
      expect(text).to.contain("is not an id").and.not.contain("<script>");
      expect((await dashboard().ask("/look-up?id=%ff%zz")).status).to.equal(404);
    });
  });
