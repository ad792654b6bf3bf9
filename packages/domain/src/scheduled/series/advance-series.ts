import type { Occurrence } from "@carillon/calendar";
import type { NewEvent } from "@carillon/contract";
import { packed, statement, type Tx } from "@carillon/db";
import type { AuditEntry, OutgoingMessage, Realm } from "@carillon/model";
import { recordAudit } from "@carillon/model";

import type { DueRow } from "../due-row.ts";
import type { DeliverOptions } from "../delivery-options.ts";
import { isLateByDeactivation, isTooLate } from "../failures.ts";
import type { Outcome } from "../outcome.ts";
import { type KnownRendering, type Plan, planOccurrences } from "./plan-occurrences.ts";
import { type NewRun, recordRuns } from "./runs.ts";
import { type FollowingPlan, occurrenceAfter, planFollowing, withSchedules } from "./schedule.ts";
import { type PlannedSeries, seriesEvents } from "./series-events.ts";
import { sendSeriesNotices, type SeriesNotice } from "./series-notices.ts";
import { gracePeriodOf, type PlannedRow, readPlanned, type SeriesRow } from "./series-row.ts";

/** Failed occurrences in a row after which a series is paused. */
const maxFailures = 5;

/** Facts about the series in the notice of a failed occurrence. */
export interface SeriesNote {
  /** Local dates of the missed occurrences, this one first; empty unless it was missed. */
  readonly missed: readonly string[];
  /** Whether the series is paused, because too many occurrences in a row have failed. */
  readonly paused: boolean;
  readonly next: Occurrence | undefined;
}

/** How the outcomes of a batch changed series. */
export interface SeriesProgress {
  /** The outcomes of the batch. Those of occurrences have their runs, and a reason if the occurrence was missed. */
  readonly outcomes: readonly Outcome[];
  /** For the notices, by the failed row. */
  readonly notes: ReadonlyMap<DueRow, SeriesNote>;
  readonly events: readonly NewEvent[];
}

/** The rendered messages of a batch. The next occurrence of a series usually has the same text. */
export interface SentTexts {
  readonly sendable: readonly DueRow[];
  readonly outgoing: readonly OutgoingMessage[];
}

/** A series before and after the outcomes of a batch. */
interface AdvancedSeries {
  series: SeriesRow;
  readonly before: SeriesRow;
  plan?: Plan;
  notice?: SeriesNotice | undefined;
}

/**
 * Records how occurrences ended, and plans the next one of each series, in the transaction that delivers them
 * (once-and-again.md §3.4). Takes a fixed number of statements. The series are locked by the claim.
 */
export async function advanceSeries(
  { site, log, hasDeliveryJob }: Pick<DeliverOptions, "site" | "log" | "hasDeliveryJob">,
  tx: Tx,
  realm: Realm,
  outcomes: readonly Outcome[],
  texts: SentTexts,
): Promise<SeriesProgress> {
  const ofSeries = outcomes.filter(({ row }) => row.series);
  if (ofSeries.length === 0) return { outcomes, notes: new Map(), events: [] };
  const { states, runs, notes, reasons } = await decideConsequences(
    realm,
    ofSeries,
    renderingsOf(texts),
  );
  const changed = [...states.values()];
  // The partial unique index allows one planned row per series: take unsent rows out of it before the next ones are inserted.
  const unsent = ofSeries.filter(({ kind }) => kind !== "sent").map(({ row }) => row.id);
  if (unsent.length > 0) await tx.rows(detach, [packed.bigints(unsent)]);
  await Promise.all([
    recordRuns(tx, [...runs.values()].flat()),
    store(
      tx,
      changed.map(({ series }) => series),
    ),
  ]);
  const plans = changed.flatMap(({ plan, series }) => (plan ? [{ ...plan, series }] : []));
  const planned = await planOccurrences(tx, site, realm, plans, hasDeliveryJob);
  const rows = new Map<number, PlannedSeries["planned"]>([
    ...(await keptPlans(tx, ofSeries)),
    ...planned.rows.map((row) => [row.seriesId, row] as const),
  ]);
  recordAudit(tx, realm.id, null, changed.flatMap(auditOf));
  const notices = changed.flatMap(({ notice }) => notice ?? []);
  const events = [
    ...planned.events,
    ...(await seriesEvents(
      tx,
      changed.map(({ before, series }) => ({
        before,
        after: { series, planned: rows.get(series.id) },
      })),
    )),
    ...(await sendSeriesNotices(tx, log, realm, notices)),
  ];
  const recorded = outcomes.map((outcome) => ({
    ...withReason(outcome, reasons.get(outcome.row)),
    runs: runs.get(outcome.row)?.map((run) => run.outcome) ?? [],
  }));
  return { outcomes: recorded, notes, events };
}

/** The consequences of ended occurrences for their series. */
interface Consequences {
  /** The series by id. */
  readonly states: ReadonlyMap<number, AdvancedSeries>;
  /** For each ended occurrence, its run and the runs of the occurrences that were missed after it. */
  readonly runs: ReadonlyMap<DueRow, readonly NewRun[]>;
  /** What the notices of failed occurrences say about the series. */
  readonly notes: ReadonlyMap<DueRow, SeriesNote>;
  /** Why occurrences were missed. */
  readonly reasons: ReadonlyMap<DueRow, string>;
}

/** Determines how series continue after occurrences have ended. Writes nothing. */
async function decideConsequences(
  realm: Realm,
  ofSeries: readonly Outcome[],
  renderings: ReturnType<typeof renderingsOf>,
): Promise<Consequences> {
  const states = new Map<number, AdvancedSeries>();
  const runs = new Map<DueRow, readonly NewRun[]>();
  const notes = new Map<DueRow, SeriesNote>();
  const reasons = new Map<DueRow, string>();
  const followingPlans = await planAfter(ofSeries, realm.now);
  for (const outcome of ofSeries) {
    const { row } = outcome;
    const { series } = row as OccurrenceRow;
    const state = states.get(series.id) ?? { series, before: series };
    states.set(series.id, state);
    if (row.detached) {
      runs.set(row, [runOf(outcome)]);
      state.series = { ...state.series, ...countsAfter(state.series, outcome) };
      continue;
    }
    // The series of a deactivated author is paused now, so its later occurrences are not missed, even if they are due.
    const following = isOfDeactivatedAuthor(outcome, realm) ? undefined : followingPlans.get(row);
    const missed = isMissed(outcome) ? [row.occurrence!, ...(following?.missed ?? [])] : [];
    if (missed.length > 0) reasons.set(row, missedReason(missed, outcome));
    const others = (following?.missed ?? []).map((date) => missedRun(series, date));
    runs.set(row, [runOf(outcome, reasons.get(row)), ...others]);
    advance(state, outcome, realm, following);
    const { next } = following ?? {};
    if (outcome.kind === "failed")
      notes.set(row, { missed, paused: state.series.pausedReason === "failures", next });
    if (state.series.state === "active" && next)
      state.plan = { series: state.series, occurrence: next, known: renderings.get(row) };
    state.notice = noticeOf(row, outcome, state.series);
    if (state.notice?.kind === "handedOver")
      state.series = { ...state.series, managersNotified: true };
  }
  return { states, runs, notes, reasons };
}

/** Reads the planned occurrences of the series that keep them: only detached occurrences of these series have ended. */
async function keptPlans(
  tx: Tx,
  outcomes: readonly Outcome[],
): Promise<ReadonlyMap<number, PlannedRow>> {
  const idsOf = (detached: boolean) =>
    outcomes.flatMap(({ row }) => (row.detached === detached ? row.seriesId! : []));
  const ended = new Set(idsOf(false));
  const kept = idsOf(true).filter((id) => !ended.has(id));
  return kept.length > 0 ? readPlanned(tx, kept) : new Map();
}

/** A due row that is an occurrence of a series. */
type OccurrenceRow = DueRow & { readonly series: SeriesRow };

/**
 * Plans what follows each planned occurrence. Leaves out series whose rule or time zone can no longer be computed. After a
 * withheld occurrence, plans the next one even if it is too late: it then gets its own failed row and notice, which name it
 * and all later missed ones.
 */
async function planAfter(
  outcomes: readonly Outcome[],
  now: number,
): Promise<ReadonlyMap<DueRow, FollowingPlan>> {
  const ended = outcomes.flatMap(({ kind, row }) =>
    row.detached ? [] : [{ kind, row: row as OccurrenceRow }],
  );
  const plans = await withSchedules(
    ended.map(({ row: { series } }) => series),
    (schedule, i): FollowingPlan => {
      const { kind, row } = ended[i]!;
      const { series, occurrence } = row;
      return kind === "withheld"
        ? { next: occurrenceAfter(schedule, occurrence!), missed: [] }
        : planFollowing(schedule, occurrence!, now, gracePeriodOf(series));
    },
  );
  return new Map(ended.flatMap(({ row }, i) => (plans[i] ? [[row, plans[i]] as const] : [])));
}

function isMissed(outcome: Outcome): boolean {
  return outcome.kind === "failed" && isTooLate(outcome);
}

function isOfDeactivatedAuthor(outcome: Outcome, realm: Realm): boolean {
  return outcome.kind === "failed" && outcome.cause === "deactivated" && !realm.deactivated;
}

function runOf(outcome: Outcome, reason?: string): NewRun {
  const { row } = outcome;
  const ended = { seriesId: row.seriesId!, occurrence: row.occurrence! };
  if (outcome.kind === "failed")
    return {
      ...ended,
      outcome: isMissed(outcome) ? "missed" : "failed",
      messageId: null,
      reason: reason ?? outcome.reason,
    };
  if (outcome.kind === "withheld")
    return { ...ended, outcome: "withheld", messageId: outcome.messageId, reason: null };
  const messageId = outcome.kind === "sent" ? outcome.messageId : null;
  return { ...ended, outcome: "sent", messageId, reason: null };
}

function missedRun({ id: seriesId }: SeriesRow, occurrence: string): NewRun {
  return { seriesId, occurrence, outcome: "missed", messageId: null, reason: null };
}

/**
 * Returns the counts of a series after an outcome. `consecutiveFailures` ignores detached rows, and failures because of
 * lateness or because the account is deactivated.
 */
function countsAfter(
  { sentCount, consecutiveFailures }: SeriesRow,
  outcome: Outcome,
): Pick<SeriesRow, "sentCount" | "consecutiveFailures"> {
  const { detached } = outcome.row;
  if (outcome.kind === "withheld") return { sentCount, consecutiveFailures };
  if (outcome.kind !== "failed")
    return { sentCount: sentCount + 1, consecutiveFailures: detached ? consecutiveFailures : 0 };
  const counts = !detached && outcome.cause !== "deactivated" && !isTooLate(outcome);
  return { sentCount, consecutiveFailures: consecutiveFailures + (counts ? 1 : 0) };
}

/** Moves the cursor of a series after its planned occurrence, and sets its state and counts. */
function advance(
  state: AdvancedSeries,
  outcome: Outcome,
  realm: Realm,
  following: FollowingPlan | undefined,
): void {
  const counts = countsAfter(state.series, outcome);
  const lastOccurrence = following?.missed.at(-1) ?? outcome.row.occurrence;
  const moved = { ...state.series, ...counts, lastOccurrence };
  const paused = (reason: SeriesRow["pausedReason"]) =>
    ({ ...moved, state: "paused", pausedReason: reason }) as const;
  if (isOfDeactivatedAuthor(outcome, realm)) state.series = paused("author_deactivated");
  else if (!following) state.series = paused("rule");
  else if (counts.consecutiveFailures >= maxFailures) state.series = paused("failures");
  else state.series = { ...moved, state: following.next ? "active" : "ended" };
}

function noticeOf(row: DueRow, outcome: Outcome, series: SeriesRow): SeriesNotice | undefined {
  if (series.pausedReason === "rule") return { kind: "rule", series };
  if (outcome.kind === "sent" && !row.senderActive && !series.managersNotified)
    return { kind: "handedOver", series };
  return undefined;
}

function missedReason(dates: readonly string[], outcome: Outcome): string {
  const why =
    outcome.kind === "failed" && isLateByDeactivation(outcome)
      ? "The organization was deactivated"
      : "The server was late";
  const first = dates.slice(0, 5).join(", ");
  return dates.length === 1
    ? `${why}: the occurrence of ${first} was missed.`
    : `${why}: ${dates.length} occurrences were missed (${first}${dates.length > 5 ? ", …" : ""}).`;
}

function withReason(outcome: Outcome, reason: string | undefined): Outcome {
  return outcome.kind === "failed" && reason !== undefined ? { ...outcome, reason } : outcome;
}

function renderingsOf({ sendable, outgoing }: SentTexts): Map<DueRow, KnownRendering> {
  const known = new Map<DueRow, KnownRendering>();
  for (const [i, row] of sendable.entries()) {
    const message = outgoing[i]!;
    if (!row.series || !row.senderActive) continue;
    const { html, hasAttachment } = message.rendered;
    known.set(row, { content: message.content, html, hasAttachment });
  }
  return known;
}

function auditOf({ before, series }: AdvancedSeries): AuditEntry[] {
  const entry = (type: string, data: object = {}) => ({
    type,
    userId: series.authorId,
    data: { series_id: series.id, ...data },
  });
  return [
    ...(series.state === "paused" && before.state !== "paused"
      ? [entry("message_series_paused", { reason: series.pausedReason })]
      : []),
    ...(series.state === "ended" && before.state !== "ended"
      ? [entry("message_series_ended")]
      : []),
    ...(series.managersNotified && !before.managersNotified
      ? [entry("message_series_handed_over")]
      : []),
  ];
}

const detach = statement({
  name: "series-release-ended",
  text: "UPDATE scheduled_messages SET detached = true WHERE id = ANY($1::bigint[])",
});

const storeRows = statement({
  name: "series-advance",
  text: `UPDATE message_series m SET state = n.state, paused_reason = n.reason, last_occurrence = n.cursor::date,
      sent_count = n.sent, consecutive_failures = n.failures, managers_told = n.notified
    FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::int[], $6::int[], $7::bool[])
      AS n (id, state, reason, cursor, sent, failures, notified)
    WHERE m.id = n.id`,
});

async function store(tx: Tx, series: readonly SeriesRow[]): Promise<void> {
  await tx.rows(storeRows, [
    packed.ints(series.map(({ id }) => id)),
    packed.texts(series.map(({ state }) => state)),
    packed.texts(series.map(({ pausedReason }) => pausedReason)),
    packed.texts(series.map(({ lastOccurrence }) => lastOccurrence)),
    packed.ints(series.map(({ sentCount }) => sentCount)),
    packed.ints(series.map(({ consecutiveFailures }) => consecutiveFailures)),
    packed.bools(series.map(({ managersNotified }) => managersNotified)),
  ]);
}
