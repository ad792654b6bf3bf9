import {
  channel,
  organization,
  rowsRead,
  scheduledMessage,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";
import { useDashboard } from "../test-support.ts";
import type { FailedReason, FailedStep } from "./counts.ts";
import type { FailedFilter } from "./filter.ts";
import { composePage, type FailedPage } from "./list.ts";

interface Answer extends FailedPage {
  readonly steps: readonly FailedStep[];
  readonly reasons: readonly FailedReason[];
}

describe("failed messages", () => {
  const dashboard = useDashboard();
  let org: TestOrganization;
  let other: TestOrganization;
  let room: TestChannel;

  before(async () => {
    const { db } = dashboard();
    org = await organization(db);
    other = await organization(db);
    room = await channel(db, org.member, { name: "<b>room</b>" });
    await db.rows("UPDATE users SET full_name = '<script>Mallory' WHERE id = $1", [org.member.id]);
  });
  afterEach(() => dashboard().db.rows("DELETE FROM delivery_failures"));

  interface Failing {
    readonly of?: TestOrganization;
    readonly sender?: { readonly id: number };
    readonly channelId?: number | null;
    readonly reason?: string;
    readonly ago?: number;
    readonly messageId?: number;
    readonly noticeId?: number | null;
  }

  async function failure(values: Failing = {}): Promise<number> {
    const { of = org, sender = of.member, channelId = null, reason = "No.", ago = 60 } = values;
    const [row] = await dashboard().db.rows<{ id: number }>(
      `INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, channel_id, due_at,
         failed_at, reason, notice_id, process)
       VALUES ($1, $2, 1, 1, $3, $4, now(), now() - make_interval(secs => $5), $6, $7, 'h:1') RETURNING id`,
      [
        of.realm.id,
        values.messageId ?? 4_000_000,
        sender.id,
        channelId,
        ago,
        reason,
        values.noticeId ?? null,
      ],
    );
    return row?.id ?? 0;
  }

  const list = async (query: Record<string, string> = {}) =>
    (await dashboard().json(`/failed?${new URLSearchParams(query).toString()}`)) as Answer;
  const ids = async (query: Record<string, string>) => (await list(query)).rows.map(({ id }) => id);
  const page = async (query = "") => (await dashboard().ask(`/failed${query}`)).text();

  it("are listed with names, the latest first, page by page", async () => {
    const made: number[] = [];
    for (let i = 0; i < 53; i++)
      made.unshift(await failure({ ago: 1_000 - i, channelId: room.id }));
    const first = await list();
    expect(first.rows.map(({ id }) => id)).to.deep.equal(made.slice(0, 50));
    expect(first.rows[0]).to.deep.include({
      realmId: org.realm.id,
      senderName: "<script>Mallory",
      channelName: "<b>room</b>",
      reason: "No.",
      since: "deleted",
    });
    const second = await list({ after: first.next?.join("-") ?? "" });
    expect(second.rows.map(({ id }) => id)).to.deep.equal(made.slice(50));
    expect(second.next).to.equal(undefined);
  });

  it("are listed page by page even if many failed at the same time", async () => {
    await dashboard().db.rows(
      `INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, due_at, reason, process)
       SELECT $1, n, 1, 1, $2, now(), 'x', 'h:1' FROM generate_series(1, 120) n`,
      [org.realm.id, org.member.id],
    );
    const seen: number[] = [];
    for (let after: string | undefined; ;) {
      const { rows, next } = await list(after === undefined ? {} : { after });
      seen.push(...rows.map(({ id }) => id));
      if (!next) break;
      after = next.join("-");
    }
    expect(seen).to.have.length(120);
    expect(new Set(seen).size).to.equal(120);
  });

  it("are filtered by organization, sender, channel, reason and time", async () => {
    const plain = await failure({ ago: 7_200 });
    const elsewhere = await failure({ of: other, ago: 300 });
    const inRoom = await failure({ channelId: room.id, ago: 200 });
    const late = await failure({ reason: "Too <late>.", sender: org.owner, ago: 100 });
    const at = (ago: number) => new Date(Date.now() - ago * 1_000).toISOString();
    const own = String(org.realm.id);

    expect(await ids({ realm: String(other.realm.id) })).to.deep.equal([elsewhere]);
    expect(await ids({ sender: String(org.owner.id) })).to.deep.equal([late]);
    expect(await ids({ sender: org.owner.email.toUpperCase() })).to.deep.equal([late]);
    expect(await ids({ sender: "nobody@nowhere.test" })).to.deep.equal([]);
    expect(await ids({ channel: String(room.id) })).to.deep.equal([inRoom]);
    expect(await ids({ reason: "Too <late>." })).to.deep.equal([late]);
    expect(await ids({ sender: org.owner.fullName.toUpperCase(), realm: own })).to.deep.equal([
      late,
    ]);
    expect(await ids({ sender: "nobody at all" })).to.deep.equal([]);
    expect(await ids({ channel: "<B>ROOM</b>" })).to.deep.equal([inRoom]);
    expect(await ids({ channel: "<b>room</b>", realm: `#${other.realm.id}` })).to.deep.equal([]);
    expect(await ids({ realm: other.realm.subdomain })).to.deep.equal([elsewhere]);
    expect(await ids({ realm: "no such organization" })).to.deep.equal([]);
    expect(await ids({ realm: own, until: at(3_600) })).to.deep.equal([plain]);
    expect(await ids({ realm: own, since: at(3_600) })).to.deep.equal([late, inRoom]);
    expect(
      await ids({ realm: own, sender: String(org.member.id), channel: String(room.id) }),
    ).to.deep.equal([inRoom]);
    expect(await ids({ realm: "", sender: " ", channel: "", reason: "" })).to.have.length(4);
  });

  it("are counted over time and by reason, within the filter", async () => {
    await failure({ reason: "a" });
    await failure({ reason: "b", ago: 3 * 3_600 });
    await failure({ reason: "b", ago: 3 * 3_600 + 1 });
    await failure({ reason: "c", ago: 3 * 86_400 });
    const day = await list();
    expect(day.steps).to.have.length(25);
    expect(day.steps.reduce((sum, { count }) => sum + count, 0)).to.equal(3);
    expect(day.reasons).to.deep.equal([
      { reason: "b", count: 2 },
      { reason: "a", count: 1 },
    ]);
    const month = await list({ span: "month", reason: "c" });
    expect(month.steps).to.have.length(31);
    expect(month.steps.filter(({ count }) => count > 0)).to.have.length(1);
    expect(month.reasons).to.deep.equal([{ reason: "c", count: 1 }]);
  });

  it("show the notice to the sender, whether it was read, and the message's current state", async () => {
    const { db } = dashboard();
    const { id } = await scheduledMessage(db, org.member, room, { row: { failed: true } });
    const notice = async (messageId: number, flags: number) => {
      await db.rows(
        `INSERT INTO messages (id, realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
           render_version, client_id)
         SELECT $2, realm_id, $3, recipient_id, false, '', 'It could not be sent: <i>why</i>', '', 1, client_id
         FROM scheduled_messages WHERE id = $1`,
        [id, messageId, org.notificationBot.id],
      );
      await db.rows("INSERT INTO user_messages VALUES ($1, $2, $3)", [
        org.member.id,
        messageId,
        flags,
      ]);
    };
    await notice(800_001, 1);
    await notice(800_002, 0);
    await failure({ messageId: id, noticeId: 800_001, ago: 4 });
    await failure({ messageId: id, noticeId: 800_002, ago: 3 });
    await failure({ messageId: id, noticeId: 800_003, ago: 2 });
    await failure({ messageId: id, ago: 1 });
    const shown = async () =>
      (await list()).rows.map(({ notice: text, noticeRead, since }) => [text, noticeRead, since]);
    const said = "It could not be sent: <i>why</i>";
    expect(await shown()).to.deep.equal([
      [null, null, "failed"],
      [null, null, "failed"],
      [said, false, "failed"],
      [said, true, "failed"],
    ]);
    await db.rows("UPDATE scheduled_messages SET failed = false WHERE id = $1", [id]);
    expect((await shown())[0]?.[2]).to.equal("pending");
    const text = await page();
    expect(text).to.contain("It could not be sent: &lt;i&gt;why&lt;/i&gt;");
    expect(text)
      .to.match(/notice 800002, unread/)
      .and.match(/notice 800001, read/);
    expect(text).to.contain("notice 800003, removed since");
  });

  it("show relative times, with the instant on hover", async () => {
    await failure({ ago: 7_300 });
    expect(await page()).to.match(
      /<time[^>]* title="[-0-9]{10} [:0-9]{8} UTC"\s*>\s*2 h 1 min ago<\/time/,
    );
  });

  it("are shown escaped", async () => {
    await failure({ channelId: room.id, reason: `<img src=x onerror=alert(1)> "quoted"` });
    for (const as of ["operator", "viewer"] as const) {
      const text = await (await dashboard().ask("/failed", { as })).text();
      expect(text).to.contain("&lt;script&gt;Mallory").and.contain("&lt;b&gt;room&lt;/b&gt;");
      expect(text).to.contain("&lt;img src=x onerror=alert(1)&gt; &quot;quoted&quot;");
      expect(text).not.to.match(/<script>|<img|<b>room/);
    }
    const evil = await page(`?sender=${encodeURIComponent(`"><script>@x`)}`);
    expect(evil).not.to.contain("<script>");
  });

  it("refuse malformed filters", async () => {
    for (const query of [
      `channel=${"x".repeat(61)}`,
      `realm=${"x".repeat(61)}`,
      "since=yesterday",
      "until=2026-02-30",
      "after=x",
      "after=1",
      "reason=%00",
      "sender=a%00@b",
    ]) {
      const answer = await dashboard().ask(`/failed?${query}`);
      expect(answer.status, query).to.equal(400);
    }
    for (const query of [
      "since=2026-11-22",
      "since=2026-11-22 14:00:05 UTC",
      "until=2026-11-22 14:00",
    ]) {
      expect((await dashboard().ask(`/failed?${query}`)).status, query).to.equal(200);
    }
  });

  it("are found by an index for every filter and any number of rows", async () => {
    const { db } = dashboard();
    await db.rows(
      `INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, channel_id, due_at,
         failed_at, reason, process)
       SELECT CASE WHEN n % 100 = 0 THEN $1 ELSE $2 END::int, n, 1, 1, n % 500, n % 300, now(),
         now() - n * interval '1 second', 'reason ' || n % 400, 'h:1' FROM generate_series(1, 30000) n`,
      [org.realm.id, other.realm.id],
    );
    await db.rows("ANALYZE delivery_failures");
    const now = Date.now() / 1_000;
    const filters: FailedFilter[] = [
      {},
      { realmId: org.realm.id },
      { senderIds: [7] },
      { channelIds: [11] },
      { reason: "reason 13" },
      { until: now - 20_000 },
      { since: now - 2_000, until: now - 1_000 },
      { realmId: other.realm.id, reason: "reason 13" },
    ];
    for (const filter of filters) {
      for (const after of [undefined, [Math.round((now - 25_000) * 1e6), 1] as const]) {
        if (after && filter.since !== undefined) continue;
        const { text, values } = composePage(filter, after);
        const { found, read } = await rowsRead(db, text, values, "delivery_failures");
        expect(read, JSON.stringify({ filter, after, found })).to.be.at.most(200);
      }
    }
  });
});
