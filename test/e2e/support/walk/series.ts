import {
  checkInAtMessageSeries,
  createMessageSeries,
  deleteMessageSeries,
  deleteScheduledMessage,
  editMessageSeries,
  editScheduledMessage,
  listMessageSeries,
  pauseMessageSeries,
  resumeMessageSeries,
  sendSeriesNow,
  skipSeriesOccurrence,
  takeOverMessageSeries,
  type Operation,
} from "@carillon/contract";
import { deliver } from "@carillon/testkit";

import { content, soon, target } from "./messages.ts";
import {
  idsOf,
  logStep,
  type Maker,
  maybe,
  pick,
  someone,
  step,
  type Walk,
  type WalkStep,
} from "./walk.ts";

const day = 86_400_000;

/** Local time of tomorrow or a later day. */
function start(walk: Walk): string {
  const at = new Date(Date.now() + (1 + walk.chance.below(5)) * day);
  return `${at.toISOString().slice(0, 10)}T0${walk.chance.below(10)}:00`;
}

/** Rules; one of them soon ends. */
const rules = ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=DAILY;COUNT=2"];

/** Half of the accounts, as a group that no step changes: a change of members sends no event (once-and-again.md §3.1). */
function managers(walk: Walk): Record<string, unknown> {
  const members = walk.accounts.filter(() => maybe(walk));
  return { direct_members: idsOf(members), direct_subgroups: [] };
}

function conditions(walk: Walk): ReadonlyArray<Record<string, unknown>> {
  return pick(walk, [[], [{ kind: "reply" }], [{ kind: "check_in", by: [someone(walk).id] }]]);
}

/** A request about a series, mostly by the account that created it. */
function about(
  operation: Operation,
  weight: number,
  params: (walk: Walk) => Record<string, unknown> = () => ({}),
): WalkStep {
  return step(operation, weight, (walk) => {
    if (walk.series.length === 0) return undefined;
    const { id, by } = pick(walk, walk.series);
    return {
      by: pick(walk, [by, by, someone(walk)]),
      path: { series_id: id },
      params: params(walk),
    };
  });
}

/** Steps of series. */
export const seriesSteps: readonly WalkStep[] = [
  step(createMessageSeries, 4, (walk) => {
    const by = someone(walk);
    return {
      by,
      params: {
        ...target(walk, by),
        content: content(walk),
        start: start(walk),
        timezone: pick(walk, ["Europe/Berlin", "Etc/UTC"]),
        rrule: pick(walk, rules),
        unless: conditions(walk),
        can_manage_group: managers(walk),
      },
      onSuccess: (made) => void walk.series.push({ id: made["series_id"] as number, by }),
    };
  }),
  about(editMessageSeries, 4, (walk) =>
    pick(walk, [
      { content: content(walk) },
      { start: start(walk) },
      { rrule: pick(walk, rules), unless: conditions(walk) },
      { can_manage_group: managers(walk) },
      { excluded_dates: [start(walk).slice(0, 10)], catch_up_seconds: walk.chance.below(600) },
    ]),
  ),
  about(skipSeriesOccurrence, 2),
  about(pauseMessageSeries, 2),
  about(resumeMessageSeries, 2),
  about(sendSeriesNow, 1),
  about(takeOverMessageSeries, 2),
  about(checkInAtMessageSeries, 1),
  about(deleteMessageSeries, 1),
];

/** Steps without an operation of their own: the planned occurrence of a series is moved, deleted, or falls due. */
export const seriesHappenings: ReadonlyArray<{ weight: number; make: Maker["make"] }> = [
  {
    weight: 3,
    make(walk) {
      if (walk.series.length === 0) return async () => undefined;
      const { id, by } = pick(walk, walk.series);
      const client = pick(walk, walk.gateways).as(by);
      const isMoved = walk.chance.below(3) > 0;
      const params = { scheduled_delivery_timestamp: soon(walk) };
      return async () => {
        const what = `${isMoved ? "moves" : "deletes"} the occurrence of series ${id}`;
        const logOutcome = logStep(walk, `${by.fullName} (${by.id}) ${what}`);
        const { status, body } = await client.call(listMessageSeries);
        if (body.result !== "success") return logOutcome(`${status} ${String(body.code)}`);
        const planned = body.message_series.find(({ series_id }) => series_id === id);
        const row = planned?.next_scheduled_message_id ?? null;
        if (row === null) return logOutcome("none is planned");
        const path = { scheduled_message_id: row };
        const changed = await (isMoved
          ? client.call(editScheduledMessage, { path, params })
          : client.call(deleteScheduledMessage, { path }));
        logOutcome(changed.status === 200 ? "done" : `${changed.status}`);
        if (changed.status >= 500) throw new Error(`${what}: ${JSON.stringify(changed.body)}`);
      };
    },
  },
  {
    weight: 5,
    make(walk) {
      if (walk.series.length === 0) return async () => undefined;
      const { id } = pick(walk, walk.series);
      // One in four is too late to be sent.
      const lateBy = walk.chance.below(4) === 0 ? 7_200 : 1;
      return async () => {
        const what = `the occurrences of series ${id} fall due ${lateBy} s late`;
        const logOutcome = logStep(walk, what);
        await walk.db.rows(
          `UPDATE scheduled_messages SET deliver_at = date_trunc('second', now()) - $2::int * interval '1 second'
           WHERE series_id = $1 AND NOT delivered AND NOT failed`,
          [id, lateBy],
        );
        await deliver(walk.db, walk.org.realm);
        logOutcome("delivered");
      };
    },
  },
];
