import {
  channel,
  createdSeries,
  dailySeries,
  deliverPlanned,
  eventsOf,
  messageSeries,
  organization,
  type Params,
  rowsRead,
  seriesOf,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

import type { Found } from "../look-up/look-up.ts";
import { useDashboard, useGatewayOf } from "../test-support.ts";
import { type SeriesFilter, seriesStates } from "./filter.ts";
import { composeSeries, type SeriesPage } from "./list.ts";

const count = 30_000;

describe("the dashboard's series", () => {
  const dashboard = useDashboard();
  const gateway = useGatewayOf(dashboard);
  let org: TestOrganization;
  let author: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { db } = dashboard();
    org = await organization(db);
    author = await user(db, org.realm, { fullName: "Ada <b>Author" });
    room = await channel(db, org.realm, { name: "fixed room", subscribers: [author] });
  });

  const secrets = { topic: "a secret topic", content: "a secret text" };
  const create = (over: Params = {}) =>
    createdSeries(gateway().as(author), dailySeries(room.id, { ...secrets, ...over }));
  const list = (fields: Readonly<Record<string, string>> = {}) =>
    dashboard().json(
      `/series?${new URLSearchParams({ realm: `#${org.realm.id}`, ...fields }).toString()}`,
    ) as Promise<SeriesPage>;
  const page = async (path: string) => (await dashboard().ask(path)).text();
  const find = (id: string | number) => dashboard().json(`/look-up?id=${id}`) as Promise<Found>;
  const read = (id: number) => seriesOf(gateway().as(author), id);
  const deliverNext = (id: number) =>
    deliverPlanned(dashboard().db, org.realm, gateway().as(author), id);

  it("are listed with place, state, next occurrence, last outcome and failures, without texts", async () => {
    const { db } = dashboard();
    const id = await create();
    await deliverNext(id);
    const { next_occurrence: next, next_scheduled_message_id: nextId } = await read(id);
    await db.rows("UPDATE message_series SET consecutive_failures = 3 WHERE id = $1", [id]);
    const { rows } = await list();
    expect(rows).to.have.length(1);
    expect(rows[0]).to.include({
      id,
      realmId: org.realm.id,
      authorId: author.id,
      channelId: room.id,
      channelName: "fixed room",
      state: "active",
      pausedReason: null,
      nextOccurrence: next,
      nextId,
      lastOutcome: "sent",
      sentCount: 1,
      consecutiveFailures: 3,
    });
    const text = await page(`/series?realm=%23${org.realm.id}`);
    expect(text).to.contain("fixed room").and.contain(`s${id}`).and.contain("Ada &lt;b&gt;Author");
    expect(text + JSON.stringify(rows)).not.to.contain("secret");
  });

  it("are filtered by organization, author, channel and state, and paged", async () => {
    const { db } = dashboard();
    const direct = await create({ type: "direct", to: [org.member.id] });
    const other = await channel(db, org.realm, { name: "other room" });
    const paused = await messageSeries(db, org.member, other, {
      state: "paused",
      pausedReason: "failures",
    });
    const ids = async (fields: Readonly<Record<string, string>>) =>
      (await list(fields)).rows.map(({ id }) => id);
    expect(await ids({})).to.deep.equal([paused, direct]);
    expect(await ids({ author: author.deliveryEmail })).to.deep.equal([direct]);
    expect(await ids({ channel: "OTHER room" })).to.deep.equal([paused]);
    expect(await ids({ state: "paused" })).to.deep.equal([paused]);
    expect(await ids({ state: "ended" })).to.deep.equal([]);
    expect(await ids({ author: "nobody at all" })).to.deep.equal([]);
    expect(await ids({ before: String(paused) })).to.deep.equal([direct]);
    expect(await page(`/series?realm=%23${org.realm.id}&state=paused`)).to.contain(
      "it failed five times in a row",
    );
    for (const bad of ["state=broken", "before=x", `realm=${"x".repeat(61)}`, "author=%00"])
      expect((await dashboard().ask(`/series?${bad}`)).status, bad).to.equal(400);
    await db.rows(
      `INSERT INTO message_series (realm_id, author_id, recipient_id, channel_id, content, client_id, read_by_sender,
         start, timezone, rrule, can_manage_group_id)
       SELECT realm_id, author_id, recipient_id, channel_id, content, client_id, read_by_sender, start, timezone, rrule,
         can_manage_group_id FROM message_series, generate_series(1, 49) WHERE id = $1`,
      [paused],
    );
    const first = await list();
    expect(first.rows).to.have.length(50);
    expect((await list({ before: String(first.next) })).rows.map(({ id }) => id)).to.deep.equal([
      direct,
    ]);
  });

  it("are found by an index for every filter and any number of series", async () => {
    const { db } = dashboard();
    const large = await organization(db);
    const busy = await channel(db, large.realm, { name: "busy room" });
    const [few, many] = [
      await messageSeries(db, author, room),
      await messageSeries(db, large.member, busy),
    ];
    // Of every thousand, one is of the small organization. The older half have ended, and one is paused.
    await db.rows(
      `INSERT INTO message_series (realm_id, author_id, recipient_id, channel_id, content, client_id, read_by_sender,
         start, timezone, rrule, can_manage_group_id, state, paused_reason)
       SELECT m.realm_id, m.author_id, m.recipient_id, m.channel_id, '', m.client_id, false, m.start, m.timezone, m.rrule,
         m.can_manage_group_id, s.state, CASE s.state WHEN 'paused' THEN 'manual' END
       FROM generate_series(1, ${count}) n CROSS JOIN LATERAL (SELECT CASE WHEN n = 7 THEN 'paused'
         WHEN n <= ${count / 2} THEN 'ended' ELSE 'active' END AS state) s
         JOIN message_series m ON m.id = CASE WHEN n % 1000 = 1 THEN $1 ELSE $2 END::int`,
      [few, many],
    );
    await db.rows("ANALYZE message_series");
    const [realmId, channelIds, authorIds] = [org.realm.id, [room.id], [author.id]];
    const largeId = large.realm.id;
    const filters: SeriesFilter[] = [
      {},
      ...seriesStates.map((state) => ({ state })),
      { realmId },
      { realmId: largeId },
      ...seriesStates.map((state) => ({ realmId: largeId, state })),
      { channelIds },
      { channelIds: [busy.id] },
      { authorIds },
      { authorIds: [large.member.id] },
    ];
    for (const filter of filters)
      for (const before of [undefined, many + count / 2]) {
        const { text, values } = composeSeries(filter, before);
        const { found, read } = await rowsRead(db, text, values, "message_series");
        expect(read, JSON.stringify({ filter, before, found })).to.be.at.most(100);
      }
  });

  describe("pausing one", () => {
    const pause = (id: number | string, as: "operator" | "viewer" | "nobody" = "operator") =>
      dashboard().post("/series/pause", { id: String(id) }, { as });
    const audits = () =>
      dashboard().db.rows(
        `SELECT acting_user_id AS actor, modified_user_id AS "userId", extra_data AS data FROM audit_log
         WHERE realm_id = $1 AND event_type = 'message_series_paused' ORDER BY id`,
        [org.realm.id],
      );

    it("deletes its planned occurrence, tells its author's clients, and is audited with the operator's name", async () => {
      const { db } = dashboard();
      const id = await create();
      const { result, events } = await eventsOf(db, org.realm.id, () => pause(id));
      expect(await result.json()).to.deep.equal({ result: "paused" });
      expect(events.map(({ type, op }) => `${type}/${String(op)}`)).to.deep.equal([
        "scheduled_messages/remove",
        "message_series/update",
      ]);
      expect(await read(id)).to.include({
        state: "paused",
        paused_reason: "manual",
        next_scheduled_message_id: null,
      });
      const repeated = await pause(id);
      expect(await repeated.json()).to.deep.equal({ result: "unchanged" });
      expect(await audits()).to.deep.equal([
        {
          actor: null,
          userId: author.id,
          data: { series_id: id, reason: "manual", operator: "olga" },
        },
      ]);
      expect(await page(`/audit?type=message_series_paused`)).to.contain("operator <bdi>olga");
    });

    it("leads back to the list with its filter", async () => {
      const id = await create();
      const answer = await dashboard().ask("/series/pause", {
        method: "POST",
        body: new URLSearchParams({ id: String(id), state: "active" }),
        headers: { accept: "text/html" },
      });
      expect(answer.status).to.equal(303);
      expect(answer.headers.get("location")).to.equal("/series?state=active");
    });

    it("is refused to viewers, to pages of other sites, and for what is no series", async () => {
      const id = await create();
      expect((await pause(id, "viewer")).status).to.equal(403);
      expect((await pause(id, "nobody")).status).to.equal(401);
      const foreign = await dashboard().post(
        "/series/pause",
        { id: String(id) },
        { headers: { origin: "https://elsewhere.test" } },
      );
      expect(foreign.status).to.equal(403);
      expect((await pause(2_000_000_000)).status).to.equal(404);
      for (const bad of ["", "x", "99999999999", "-1", "1.5"])
        expect((await pause(bad)).status, bad).to.equal(400);
      expect(await read(id)).to.include({ state: "active" });
      expect(await audits()).to.deep.equal([]);
      expect(await (await dashboard().ask("/series", { as: "viewer" })).text()).not.to.contain(
        "/series/pause",
      );
    });
  });

  describe("look-up", () => {
    it("finds a series with its outcomes, and its occurrences by their dates", async () => {
      const id = await create();
      const first = await read(id);
      await deliverNext(id);
      const second = await read(id);
      const { series, scheduled } = await find(`s${id}`);
      expect(scheduled).to.deep.equal([]);
      expect(series[0]).to.deep.include({
        id,
        state: "active",
        nextOccurrence: second.next_occurrence,
      });
      const [run] = series[0]?.runs ?? [];
      expect(run).to.include({ occurrence: first.next_occurrence, outcome: "sent" });
      const text = await page(`/look-up?id=s${id}`);
      expect(text).to.contain("FREQ=DAILY").and.contain(String(first.next_occurrence));
      expect(text).not.to.contain("secret");

      const sent = await find(`s${id}/${first.next_occurrence}`);
      expect(sent.series[0]?.runs).to.deep.equal([run]);
      expect(sent.scheduled.map((row) => row.id)).to.deep.equal([first.next_scheduled_message_id]);
      expect(sent.scheduled[0]).to.include({
        seriesId: id,
        occurrence: first.next_occurrence,
        state: "delivered",
      });
      const planned = await find(`s${id}/${second.next_occurrence}`);
      expect(planned.series[0]?.runs).to.deep.equal([]);
      expect(planned.scheduled.map((row) => row.id)).to.deep.equal([
        second.next_scheduled_message_id,
      ]);
    });

    it("leads from a scheduled message to its series", async () => {
      const id = await create();
      const { next_scheduled_message_id: planned, next_occurrence: date } = await read(id);
      const text = await page(`/look-up?id=${planned}`);
      expect(text).to.contain(`href="/look-up?id=s${id}"`).and.contain(`the occurrence of ${date}`);
    });

    it("answers 404 for series and dates that do not exist", async () => {
      const id = await create();
      for (const asked of ["s999999999", `s${id}/2026-02-30`, `s${id}/2026-13-01`, "s1/x"])
        expect(
          (await dashboard().ask(`/look-up?id=${encodeURIComponent(asked)}`)).status,
          asked,
        ).to.equal(404);
    });
  });
});
