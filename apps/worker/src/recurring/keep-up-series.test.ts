import { SeriesRepair, SeriesTimes } from "@carillon/domain";
import { readCounters, startTask } from "@carillon/scheduling";
import {
  captureLog,
  channel,
  createdSeries,
  dailySeries,
  deliverNow,
  eventsOf,
  noticesTo,
  nth,
  organization,
  type Params,
  runsOf,
  scheduledOf,
  seriesOf,
  storedRow,
  type TestAccount,
  type TestChannel,
  testSite,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import recomputeSeriesTask from "./recompute-series.ts";
import repairSeriesTask from "./repair-series.ts";

/** As event types: `scheduled_messages/add`. */
const kindsOf = (events: ReadonlyArray<{ readonly type: string; readonly op?: unknown }>) =>
  events.map(({ type, op }) => `${type}/${String(op)}`);

const hour = 3_600;

describe("recurring work of series", () => {
  const scene = useScene();
  let author: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { db, org } = scene;
    author = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [author] });
  });
  afterEach(async () => {
    await scene.db.rows("DELETE FROM scheduled_messages");
    await scene.db.rows("DELETE FROM message_series");
    await scene.db.rows("DELETE FROM counters");
  });

  const create = (over: Params = {}, by = author, to = room) =>
    createdSeries(scene.as(by), dailySeries(to.id, over));
  const read = (id: number, by = author) => seriesOf(scene.as(by), id);
  const audited = async (id: number) => {
    const rows = await scene.db.rows<{ type: string; actor: number | null }>(
      `SELECT event_type AS type, acting_user_id AS actor FROM audit_log
       WHERE (extra_data->>'series_id')::int = $1 AND acting_user_id IS NULL ORDER BY id`,
      [id],
    );
    return rows.map(({ type }) => type);
  };

  describe("repair-series", () => {
    async function repair(): Promise<void> {
      const { log } = captureLog();
      const task = startTask(repairSeriesTask, { db: scene.db, site: testSite(), log });
      await task.run();
      await task.stop();
    }
    const repaired = async () => (await readCounters(scene.db)).get("series_repaired");
    const lose = (id: number) =>
      scene.db.rows("DELETE FROM scheduled_messages WHERE series_id = $1", [id]);

    it("plans missing occurrences of active series, and counts them", async () => {
      const { db, org } = scene;
      const [lost, kept, paused] = [await create(), await create(), await create()];
      const before = await read(lost);
      const planned = await read(kept);
      await lose(lost);
      await db.rows(
        "UPDATE message_series SET state = 'paused', paused_reason = 'manual' WHERE id = $1",
        [paused],
      );
      await lose(paused);
      const { events } = await eventsOf(db, org.realm.id, repair);
      expect(kindsOf(events)).to.deep.equal(["scheduled_messages/add", "message_series/update"]);
      const after = await read(lost);
      expect(after).to.include({
        state: "active",
        next_occurrence: before.next_occurrence,
        next_delivery_timestamp: before.next_delivery_timestamp,
      });
      expect(after.next_scheduled_message_id).not.to.equal(before.next_scheduled_message_id);
      expect(await read(kept)).to.deep.equal(planned);
      expect(await read(paused)).to.include({ next_scheduled_message_id: null });
      expect(await repaired()).to.equal(1);
      expect(await audited(lost)).to.deep.equal(["message_series_repaired"]);
      await repair();
      expect(await repaired()).to.equal(1);
      expect(await scheduledOf(scene.as(author))).to.have.length(2);
    });

    it("pauses a series whose zone is gone with the notice that the delivery sends", async () => {
      const { db, org } = scene;
      const [delivered, repairedOne] = [await create(), await create()];
      const { next_scheduled_message_id: row } = await read(delivered);
      await db.rows("UPDATE message_series SET timezone = 'Gone/Zone'");
      await deliverNow(db, org.realm, [row ?? 0]);
      await lose(repairedOne);
      const { events } = await eventsOf(db, org.realm.id, repair);
      expect(await read(repairedOne)).to.include({ state: "paused", paused_reason: "rule" });
      expect(kindsOf(events)).to.deep.equal(["message_series/update", "message/null"]);
      const [first, second, ...more] = (await noticesTo(scene.as(author), org.notificationBot)).map(
        ({ content }) => content,
      );
      expect(more).to.deep.equal([]);
      expect(second).to.equal(first?.replace(String(delivered), String(repairedOne)));
      expect(await audited(repairedOne)).to.deep.equal([
        "message_series_paused",
        "message_series_repaired",
      ]);
      await repair();
      expect(await noticesTo(scene.as(author), org.notificationBot)).to.have.length(2);
    });

    it("does not plan a day that was sent, and pauses a series whose rule no longer computes", async () => {
      const [sent, broken] = [await create(), await create()];
      const { next_occurrence: date } = await read(sent);
      await scene.db.rows(
        "UPDATE message_series SET last_occurrence = $2::text::date WHERE id = $1",
        [sent, date],
      );
      await scene.db.rows("UPDATE message_series SET timezone = 'Gone/Zone' WHERE id = $1", [
        broken,
      ]);
      await lose(sent);
      await lose(broken);
      await repair();
      expect(String((await read(sent)).next_occurrence) > String(date)).to.equal(true);
      expect(await runsOf(scene.as(author), sent)).to.deep.equal([]);
      expect(await read(broken)).to.include({ state: "paused", paused_reason: "rule" });
    });

    for (const planner of ["an edit", "the repair"])
      it(`does not repeat a day that a worker without support for series has sent: ${planner}`, async () => {
        const id = await create();
        const { next_occurrence: day, next_scheduled_message_id: row } = await read(id);
        await scene.db.rows("UPDATE scheduled_messages SET delivered = true WHERE id = $1", [row]);
        if (planner === "the repair") await repair();
        const later = { start: "2026-01-01T23:59:59" };
        const edited = await scene.as(author).patch(`/api/v1/message_series/${id}`, later);
        expect(edited.status, edited.text).to.equal(200);
        const after = await read(id);
        expect(String(after.next_occurrence) > String(day)).to.equal(true);
        expect(after.sent_count).to.equal(1);
        const runs = await runsOf(scene.as(author), id);
        expect(runs.map(({ occurrence, outcome }) => [occurrence, outcome])).to.deep.equal([
          [day, "sent"],
        ]);
      });

    it("checks a limited number of series in each run, and continues behind them in the next run", async () => {
      const { db } = scene;
      const ids = [await create(), await create(), await create()];
      for (const id of ids) await lose(id);
      const { log } = captureLog();
      const repairing = new SeriesRepair();
      const run = () =>
        repairing.run({ db, site: testSite(), log }, 2, new AbortController().signal);
      const planned = async () => {
        const all = await Promise.all(ids.map((id) => read(id)));
        return all.map((one) => one.next_scheduled_message_id !== null);
      };
      expect(await run()).to.equal(2);
      expect(await planned()).to.deep.equal([true, true, false]);
      await lose(nth(ids, 0));
      expect(await run()).to.equal(1);
      expect(await planned()).to.deep.equal([false, true, true]);
      expect(await run()).to.equal(1);
      expect(await planned()).to.deep.equal([true, true, true]);
    });

    it("does not plan occurrences in deactivated organizations", async () => {
      const other = await organization(scene.db);
      const place = await channel(scene.db, other.member, { subscribers: [other.member] });
      const id = await create({}, other.member, place);
      await lose(id);
      await scene.db.rows("UPDATE realms SET deactivated = true WHERE id = $1", [other.realm.id]);
      await repair();
      expect(await repaired()).to.equal(undefined);
      expect(
        await scene.db.rows("SELECT FROM scheduled_messages WHERE series_id = $1", [id]),
      ).to.deep.equal([]);
    });
  });

  describe("recompute-series", () => {
    const made = (id: number, tzdata: string, seconds = 0) =>
      scene.db.rows(
        `UPDATE scheduled_messages SET tzdata = $2, deliver_at = deliver_at + make_interval(secs => $3)
         WHERE series_id = $1`,
        [id, tzdata, seconds],
      );
    const stored = async (id: number) => {
      const [row] = await scene.db.rows<{ tzdata: string; version: number; at: number }>(
        `SELECT tzdata, version, extract(epoch FROM deliver_at)::float8 AS at FROM scheduled_messages
         WHERE series_id = $1 ORDER BY id`,
        [id],
      );
      return row;
    };
    const recompute = async (version?: string) => {
      const times = new SeriesTimes(scene.db, version);
      while ((await times.recompute(2)) === "more");
    };

    it("moves an occurrence whose time changed with the time zone database, as an edit of its row", async () => {
      const { db, org } = scene;
      const [moved, same] = [await create(), await create()];
      const right = await read(moved);
      const rowId = right.next_scheduled_message_id ?? 0;
      await made(moved, "1999a", hour);
      await made(same, "1999a");
      const before = await storedRow(db, rowId);
      const { log } = captureLog();
      const { events } = await eventsOf(db, org.realm.id, async () => {
        // The task runs when it is started.
        const task = startTask(recomputeSeriesTask, { db, log });
        await task.run();
        await task.stop();
      });
      expect(kindsOf(events)).to.deep.equal(["scheduled_messages/update", "message_series/update"]);
      expect(await read(moved)).to.deep.equal(right);
      expect(await storedRow(db, rowId)).to.include({ version: (before?.version ?? 0) + 1 });
      expect(await audited(moved)).to.deep.equal(["message_series_time_moved"]);
      expect(await audited(same)).to.deep.equal([]);
      const [one, other] = [await stored(moved), await stored(same)];
      expect(one?.tzdata).to.equal(other?.tzdata).and.not.equal("1999a");
      expect(other?.version).to.equal(1);
    });

    it("does not change occurrences that were computed with a newer time zone database", async () => {
      const id = await create();
      await made(id, "2999z", hour);
      const before = await stored(id);
      await recompute();
      expect(await stored(id)).to.deep.equal(before);
      await recompute("2999z");
      expect(await stored(id)).to.deep.equal(before);
      await recompute("3000a");
      expect(await stored(id)).to.deep.equal({
        tzdata: "3000a",
        version: 2,
        at: (before?.at ?? 0) - hour,
      });
      await recompute();
      expect((await stored(id))?.tzdata).to.equal("3000a");
    });

    it("does not change due or detached occurrences", async () => {
      const [due, detached] = [await create(), await create()];
      const { next_scheduled_message_id: changed } = await read(detached);
      await scene
        .as(author)
        .patch(`/api/v1/scheduled_messages/${changed}`, { content: "Only today" });
      await made(detached, "1999a", hour);
      await scene.db.rows(
        "UPDATE scheduled_messages SET tzdata = '1999a', deliver_at = now() - interval '1 second' WHERE series_id = $1",
        [due],
      );
      const before = [await stored(due), await stored(detached)];
      await recompute();
      expect([await stored(due), await stored(detached)]).to.deep.equal(before);
    });

    it("recomputes other organizations although those of one fail, and tries it again in the next run", async () => {
      const { db } = scene;
      const other = await organization(db);
      const place = await channel(db, other.member, { subscribers: [other.member] });
      const ids = [await create(), await create(), await create({}, other.member, place)];
      for (const id of ids) await made(id, "1999a", hour);
      await db.rows(
        `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF new.realm_id = ${scene.org.realm.id} THEN RAISE 'refused'; END IF; RETURN new; END $$`,
      );
      await db.rows(
        "CREATE TRIGGER refuse BEFORE UPDATE ON scheduled_messages FOR EACH ROW EXECUTE FUNCTION refuse()",
      );
      const run = async () => {
        const { log, lines } = captureLog();
        const task = startTask(recomputeSeriesTask, { db, log });
        await task.run();
        await task.stop();
        return lines;
      };
      const versions = async () => Promise.all(ids.map(async (id) => (await stored(id))?.version));
      try {
        const [line, ...more] = await run();
        expect(more).to.deep.equal([]);
        expect(line?.msg).to.contain("recurring work failed");
        expect(JSON.stringify(line)).to.contain("of 1 organizations could not be recomputed");
        expect(await versions()).to.deep.equal([1, 1, 2]);
      } finally {
        await db.rows("DROP FUNCTION refuse CASCADE");
      }
      expect(await run()).to.deep.equal([]);
      expect(await versions()).to.deep.equal([2, 2, 2]);
    });

    it("keeps the time if the time zone no longer exists: the delivery pauses the series", async () => {
      const id = await create();
      await scene.db.rows("UPDATE message_series SET timezone = 'Gone/Zone' WHERE id = $1", [id]);
      await made(id, "1999a", hour);
      const before = await stored(id);
      await recompute("3000a");
      expect(await stored(id)).to.deep.equal({ ...before, tzdata: "3000a" });
    });
  });
});
