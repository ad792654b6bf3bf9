import { parseLocalTime, tzdataVersion, loadZones } from "@carillon/calendar";
import { type Database, notNull, packed, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import type { Logger } from "@carillon/kit";
import { loadRealm, type Site } from "@carillon/model";
import { addToCounter, deliveryScheduled } from "@carillon/scheduling";

import { scheduledEvents } from "../scheduled-events.ts";
import { scheduledColumns, scheduledOverrides, scheduledTables } from "../row.ts";
import { pauseBroken, recordStateChange } from "./change-state.ts";
import { emitReplanned } from "./edit-series.ts";
import { replan } from "./replan.ts";
import { scheduleOf } from "./schedule.ts";
import { seriesEvents } from "./series-events.ts";
import { isPlanned, lockSeries, openSeries } from "./series-row.ts";

/** Reads indexes only, however long the series' texts are: 10 ms for 10,000 active series that all lack an occurrence. */
const unplanned = statement({
  name: "series-unplanned",
  text: `WITH looked AS MATERIALIZED (
      SELECT id FROM message_series WHERE state = 'active' AND id > $1 ORDER BY id LIMIT $2
    )
    SELECT (SELECT count(*)::int FROM looked) AS looked, (SELECT max(id) FROM looked) AS last,
      ARRAY(SELECT m.id FROM message_series m JOIN realms r ON r.id = m.realm_id AND NOT r.deactivated AND r.read_only_since IS NULL
        WHERE m.id = ANY(ARRAY(SELECT l.id FROM looked l WHERE NOT EXISTS (
            SELECT FROM scheduled_messages s WHERE s.series_id = l.id AND s.series_id > $1 AND ${isPlanned("s")})))
        ORDER BY m.id) AS missing`,
});

interface RepairServices {
  readonly db: Database;
  readonly site: Pick<Site, "url">;
  readonly log: Logger;
}

/**
 * Plans the next occurrence of active series that have none (once-and-again.md §3.4), from now on, in one transaction per
 * series. Counts them as `series_repaired`.
 */
export class SeriesRepair {
  /** The id of the last series that was checked; 0 to start again. */
  #after = 0;

  /**
   * Continues where the last run ended.
   * @param size maximum number of active series to check
   * @returns the number of planned series
   * @throws AggregateError after planning the others, if some could not be planned
   */
  async run({ db, site, log }: RepairServices, size: number, signal: AbortSignal): Promise<number> {
    const [found] = await db.rows(unplanned, [this.#after, size]);
    let repaired = 0;
    const failures: unknown[] = [];
    for (const id of found?.missing ?? []) {
      if (signal.aborted) break;
      this.#after = id;
      try {
        if (await db.transaction((tx) => repairOne(tx, { site, log }, id))) repaired++;
      } catch (error) {
        failures.push(new Error(`series ${id} could not be planned`, { cause: error }));
      }
    }
    if (!signal.aborted) this.#after = !found || found.looked < size ? 0 : (found.last ?? 0);
    if (repaired > 0) await addToCounter(db, "series_repaired", repaired);
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} series could not be planned`);
    return repaired;
  }
}

async function repairOne(
  tx: Tx,
  { site, log }: Omit<RepairServices, "db">,
  id: number,
): Promise<boolean> {
  const open = await openSeries(tx, id);
  if (!open || open.planned || open.series.state !== "active") return false;
  const realm = await loadRealm(tx, open.series.realmId);
  const schedule = await scheduleOf(open.series).catch(() => undefined);
  if (!schedule) await pauseBroken(tx, log, realm, null, open);
  else await emitReplanned(tx, open, await replan(tx, site, realm, open, schedule, {}));
  recordStateChange(tx, null, open.series, "message_series_repaired");
  return true;
}

const outdatedRealm = statement({
  name: "series-outdated-realm",
  text: `SELECT s.realm_id AS "realmId" FROM scheduled_messages s
    WHERE ${isPlanned("s")} AND s.tzdata COLLATE "C" < $1 AND s.deliver_at > now() AND s.realm_id <> ALL($2::int[])
    LIMIT 1`,
});

const lockOutdated = statement({
  name: "series-outdated-lock",
  text: `SELECT s.id FROM scheduled_messages s WHERE s.id = ANY(ARRAY(
      SELECT o.id FROM scheduled_messages o WHERE o.realm_id = $2 AND ${isPlanned("o")} AND o.tzdata COLLATE "C" < $1
        AND o.deliver_at > now() ORDER BY o.id LIMIT $3))
      AND ${isPlanned("s")} AND s.tzdata COLLATE "C" < $1 AND s.deliver_at > now()
    ORDER BY s.id FOR NO KEY UPDATE`,
});

const readOutdated = statement({
  name: "series-outdated-rows",
  text: `SELECT ${scheduledColumns}, s.local_time AS "localTime" FROM ${scheduledTables}
    WHERE s.id = ANY($1::bigint[]) ORDER BY s.id`,
  overrides: { ...scheduledOverrides, localTime: notNull },
});

const storeTimes = statement({
  name: "series-outdated-store",
  text: `UPDATE scheduled_messages s SET tzdata = $4, deliver_at = to_timestamp(n.deliver_at),
      version = s.version + (NOT n.same)::int, alarmed_at = CASE WHEN n.same THEN s.alarmed_at END
    FROM unnest($1::bigint[], $2::float8[], $3::bool[]) AS n (id, deliver_at, same) WHERE s.id = n.id`,
});

/**
 * Recomputes the times of planned occurrences that were computed with an older time zone database than this process has
 * (once-and-again.md §3.3). Clients see a changed time as an edit of the scheduled message. Each run creates a new
 * instance. After an error in an organization, the instance leaves the organization out, and the next run tries it again.
 */
export class SeriesTimes {
  readonly #db: Database;
  readonly #version: string;
  readonly #failures = new Map<number, unknown>();

  /** @param version version of the time zone database; another one only in tests */
  constructor(db: Database, version = tzdataVersion) {
    this.#db = db;
    this.#version = version;
  }

  /**
   * Recomputes at most `size` occurrences of one organization.
   * @returns "done" when no occurrence is left in any organization
   * @throws AggregateError for the organizations that were left out, after the others are done
   */
  async recompute(size: number): Promise<"more" | "done"> {
    const failed = [...this.#failures.keys()];
    const [found] = await this.#db.rows(outdatedRealm, [this.#version, failed]);
    if (!found) return this.#end();
    const { realmId } = found;
    try {
      await this.#db.transaction((tx) => recomputeIn(tx, realmId, size, this.#version));
    } catch (error) {
      const message = `the series of organization ${realmId} could not be recomputed`;
      this.#failures.set(realmId, new Error(message, { cause: error }));
    }
    return "more";
  }

  #end(): "done" {
    const { size } = this.#failures;
    if (size === 0) return "done";
    throw new AggregateError(
      this.#failures.values(),
      `the series of ${size} organizations could not be recomputed`,
    );
  }
}

async function recomputeIn(tx: Tx, realmId: number, size: number, version: string): Promise<void> {
  const locked = await tx.lock({ name: "scheduled" }, lockOutdated, [version, realmId, size]);
  if (locked.length === 0) return;
  const rows = await tx.rows(readOutdated, [packed.bigints(locked.map(({ id }) => id))]);
  const series = await lockSeries(
    tx,
    rows.flatMap(({ seriesId }) => seriesId ?? []),
  );
  const zones = await loadZones();
  const timed = rows.map((row) => {
    const { timezone } = series.get(row.seriesId!) ?? {};
    const time = timezone === undefined ? undefined : instantOf(row.localTime, timezone);
    return { row, deliverAt: time ?? row.deliverAt };
  });
  function instantOf(localTime: string, timezone: string): number | undefined {
    try {
      return zones.toInstant(parseLocalTime(localTime), timezone).instant;
    } catch {
      // The time zone no longer exists: the delivery pauses the series.
      return undefined;
    }
  }
  const changed = timed.filter(({ row, deliverAt }) => row.deliverAt !== deliverAt);
  await tx.rows(storeTimes, [
    packed.bigints(timed.map(({ row }) => row.id)),
    timed.map(({ deliverAt }) => deliverAt),
    packed.bools(timed.map(({ row, deliverAt }) => row.deliverAt === deliverAt)),
    version,
  ]);
  if (changed.length === 0) return;
  const edited = changed.map(({ row, deliverAt }) => ({
    ...row,
    deliverAt,
    version: row.version + 1,
  }));
  for (const row of edited)
    tx.publishAfterCommit(deliveryScheduled, {
      realmId,
      scheduledMessageId: row.id,
      version: row.version,
      deliverAt: row.deliverAt,
    });
  const moved = edited.flatMap((row) => {
    const own = series.get(row.seriesId!);
    return own ? [{ own, row }] : [];
  });
  for (const { own } of moved) recordStateChange(tx, null, own, "message_series_time_moved");
  emit(tx, realmId, [
    ...edited.map((row) => scheduledEvents.update(row)),
    ...(await seriesEvents(
      tx,
      moved.map(({ own, row }) => ({
        before: own,
        after: {
          series: own,
          planned: { id: row.id, occurrence: row.occurrence!, deliverAt: row.deliverAt },
        },
      })),
    )),
  ]);
}
