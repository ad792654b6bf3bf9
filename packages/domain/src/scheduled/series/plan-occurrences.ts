import { type Occurrence, tzdataVersion } from "@carillon/calendar";
import { ApiError, type NewEvent } from "@carillon/contract";
import { packed, statement, type Tx } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import {
  type Account,
  loadAccounts,
  normaliseContent,
  normaliseTopic,
  type Realm,
  type Site,
} from "@carillon/model";
import { deliveryScheduled, scheduledKind } from "@carillon/scheduling";

import { attempt } from "../../messages/send/attempt.ts";
import { renderFor } from "../../messages/send/check.ts";
import { loadRendering } from "../../messages/send/mention-lookups.ts";
import { TextParser } from "../../messages/send/text-parser.ts";
import type { HasDeliveryJob } from "../delivery-options.ts";
import { scheduledEvents } from "../scheduled-events.ts";
import type { ScheduledRow } from "../row.ts";
import { expand } from "./schedule.ts";
import type { PlannedRow, SeriesRow } from "./series-row.ts";

/** A text of a series, and its rendering for the author. */
export interface KnownRendering {
  readonly content: string;
  readonly html: string;
  readonly hasAttachment: boolean;
}

/** An occurrence to plan. */
export interface Plan {
  readonly series: SeriesRow;
  readonly occurrence: Occurrence;
  /** The planned row that it replaces; undefined for a new row. */
  readonly replaces?: PlannedRow | undefined;
  /** Reused if the text is the same. */
  readonly known?: KnownRendering | undefined;
}

/** The planned rows, in the order of the plans, and the events for their senders. */
export interface PlannedOccurrences {
  readonly rows: readonly PlannedRow[];
  readonly events: readonly NewEvent[];
}

interface PlannedText {
  readonly topic: string;
  readonly content: string;
  readonly html: string;
  readonly hasAttachment: boolean;
}

const values = `unnest($2::int[], $3::int[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[], $9::int[],
      $10::float8[], $11::bool[], $12::bool[], $13::text[], $14::text[], $15::bigint[], $16::text[], $18::bool[])
    WITH ORDINALITY AS p (series_id, sender_id, recipient_id, channel_id, topic, content, rendered, client_id, deliver_at,
      read_by_sender, has_attachment, occurrence, local_time, replaced_id, unless, has_job, place)`;

const insert = statement({
  name: "series-plan",
  text: `INSERT INTO scheduled_messages (realm_id, series_id, sender_id, recipient_id, channel_id, topic, content,
      rendered_content, client_id, deliver_at, read_by_sender, has_attachment, kind, occurrence, local_time, tzdata, unless,
      messages_before, alarmed_at)
    SELECT $1, p.series_id, p.sender_id, p.recipient_id, p.channel_id, p.topic, p.content, p.rendered, p.client_id,
      to_timestamp(p.deliver_at), p.read_by_sender, p.has_attachment, ${scheduledKind.sendLater}, p.occurrence::date,
      p.local_time, $17, p.unless::jsonb, pg_sequence_last_value('messages_id_seq'::regclass),
      CASE WHEN p.has_job THEN now() END
    FROM ${values} WHERE p.replaced_id IS NULL ORDER BY p.place RETURNING id, version`,
});

/** The rows are locked already. */
const replace = statement({
  name: "series-replan",
  text: `UPDATE scheduled_messages s SET sender_id = p.sender_id, recipient_id = p.recipient_id, channel_id = p.channel_id,
      topic = p.topic, content = p.content, rendered_content = p.rendered, client_id = p.client_id,
      deliver_at = to_timestamp(p.deliver_at), read_by_sender = p.read_by_sender, has_attachment = p.has_attachment,
      occurrence = p.occurrence::date, local_time = p.local_time, tzdata = $17, unless = p.unless::jsonb,
      version = s.version + 1,
      alarmed_at = NULL, attempts = 0, retry_at = NULL
    FROM ${values} WHERE s.realm_id = $1 AND s.series_id = p.series_id AND s.id = p.replaced_id
    RETURNING s.id, s.version`,
});

/**
 * Plans the next occurrence of each series: a scheduled message of its author, expanded and rendered. Takes a fixed number
 * of statements. The series, and the rows that are replaced, must be locked.
 * @param hasDeliveryJob tells for which new rows the delivery job is in the queue already; they are inserted with this mark,
 *   because marking them after the commit would take as long as inserting them
 */
export async function planOccurrences(
  tx: Tx,
  site: Pick<Site, "url">,
  realm: Realm,
  plans: readonly Plan[],
  hasDeliveryJob: HasDeliveryJob = () => false,
): Promise<PlannedOccurrences> {
  if (plans.length === 0) return { rows: [], events: [] };
  const texts = await renderPlans(tx, site, realm, plans);
  const ofEach = <T>(value: (plan: Plan, text: PlannedText) => T) =>
    plans.map((plan, i) => value(plan, texts[i]!));
  const haveJobs = plans.map(
    ({ occurrence, replaces }) => !replaces && hasDeliveryJob(realm.id, occurrence.instant),
  );
  const parameters = [
    realm.id,
    packed.ints(ofEach(({ series }) => series.id)),
    packed.ints(ofEach(({ series }) => series.authorId)),
    packed.ints(ofEach(({ series }) => series.recipientId)),
    packed.ints(ofEach(({ series }) => series.channelId)),
    packed.texts(ofEach((_, { topic }) => topic)),
    packed.texts(ofEach((_, { content }) => content)),
    packed.texts(ofEach((_, { html }) => html)),
    packed.ints(ofEach(({ series }) => series.clientId)),
    ofEach(({ occurrence }) => occurrence.instant),
    packed.bools(ofEach(({ series }) => series.readBySender)),
    packed.bools(ofEach((_, { hasAttachment }) => hasAttachment)),
    packed.texts(ofEach(({ occurrence }) => occurrence.date)),
    packed.texts(ofEach(({ series, occurrence }) => wallTime(series, occurrence))),
    packed.bigints(ofEach(({ replaces }) => replaces?.id ?? null)),
    packed.texts(ofEach(({ series: { unless } }) => unless && JSON.stringify(unless))),
    tzdataVersion,
    packed.bools(haveJobs),
  ];
  const fresh = plans.filter(({ replaces }) => !replaces);
  const [inserted, replaced] = await Promise.all([
    fresh.length > 0 ? tx.rows(insert, parameters) : [],
    fresh.length < plans.length ? tx.rows(replace, parameters) : [],
  ]);
  const ids = inserted.toSorted((a, b) => a.id - b.id);
  const versions = new Map(replaced.map(({ id, version }) => [id, version]));
  let next = 0;
  const rows: PlannedRow[] = [];
  const events: NewEvent[] = [];
  for (const [i, { series, occurrence, replaces }] of plans.entries()) {
    const stored = replaces
      ? { id: replaces.id, version: versions.get(replaces.id)! }
      : ids[next++]!;
    const row = scheduledRowOf(series, occurrence, texts[i]!, stored);
    rows.push({
      id: row.id,
      seriesId: series.id,
      senderId: row.senderId,
      occurrence: occurrence.date,
      deliverAt: row.deliverAt,
    });
    events.push(...eventsOf(row, replaces));
    if (haveJobs[i] === true) continue;
    tx.publishAfterCommit(deliveryScheduled, {
      realmId: realm.id,
      scheduledMessageId: row.id,
      version: row.version,
      deliverAt: row.deliverAt,
    });
  }
  return { rows, events };
}

/** Returns the local time of the rule. A change to summer time may have moved the occurrence itself. */
function wallTime({ start }: SeriesRow, { date }: Occurrence): string {
  return `${date}${start.slice(10)}`;
}

function eventsOf(row: ScheduledRow, replaces: PlannedRow | undefined): NewEvent[] {
  if (!replaces) return [scheduledEvents.add(row)];
  if (replaces.senderId === row.senderId) return [scheduledEvents.update(row)];
  return [scheduledEvents.remove(replaces), scheduledEvents.add(row)];
}

function scheduledRowOf(
  series: SeriesRow,
  occurrence: Occurrence,
  { topic, content, html }: PlannedText,
  { id, version }: { readonly id: number; readonly version: number },
): ScheduledRow {
  return {
    id,
    kind: scheduledKind.sendLater,
    senderId: series.authorId,
    channelId: series.channelId,
    memberIds: series.memberIds,
    topic,
    content,
    renderedContent: html,
    clientId: series.clientId,
    deliverAt: occurrence.instant,
    version,
    readBySender: series.readBySender,
    delivered: false,
    failed: false,
    targetId: null,
    note: null,
    unless: series.unless,
    seriesId: series.id,
    occurrence: occurrence.date,
    detached: false,
  };
}

/** Expands and renders the texts of plans, in slices. Permissions are checked at delivery. */
async function renderPlans(
  tx: Tx,
  site: Pick<Site, "url">,
  realm: Realm,
  plans: readonly Plan[],
): Promise<PlannedText[]> {
  const parser = new TextParser();
  const expanded = await inSlices(plans, ({ series, occurrence, known }) => {
    const { topic, content } = storable(series, occurrence, realm);
    const isKnown = known?.content === content;
    return { series, topic, content, known, parsed: isKnown ? undefined : parser.parse(content) };
  });
  const unknown = expanded.flatMap(({ series, parsed }) =>
    parsed ? [{ parsed, authorId: series.authorId }] : [],
  );
  const authors =
    unknown.length === 0
      ? new Map<number, Account>()
      : await loadAccounts(
          tx,
          realm.id,
          unknown.map(({ authorId }) => authorId),
        );
  const facts =
    unknown.length === 0 ? undefined : await loadRendering(tx, realm.id, site.url, unknown);
  return inSlices(expanded, ({ series, topic, content, known, parsed }) => {
    const author = authors.get(series.authorId);
    if (!parsed || !facts || !author) return { topic, content, ...renderingOf(known) };
    const rendered = attempt(() => renderFor(facts, parsed, author, parser));
    // A text whose HTML is too large fails at delivery, where its author gets a notice.
    if (rendered instanceof ApiError) return { topic, content, html: "", hasAttachment: false };
    return { topic, content, html: rendered.html, hasAttachment: rendered.hasAttachment };
  });
}

function renderingOf(known: KnownRendering | undefined) {
  return { html: known?.html ?? "", hasAttachment: known?.hasAttachment ?? false };
}

/** Expands the template of a topic and a content, and cuts both to the lengths that a message may have. */
export function storable(
  series: SeriesRow,
  { day }: Pick<Occurrence, "day">,
  realm: Realm,
): { readonly topic: string; readonly content: string } {
  const { topic, content } = expand(series, day);
  if (!series.template) return { topic, content };
  return {
    topic: series.channelId === null ? "" : normaliseTopic(topic, realm),
    content: normaliseContent(content),
  };
}
