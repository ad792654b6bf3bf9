import { type ImportedRendering, renderImported, searchVector, topicWords } from "@carillon/domain";
import { renderVersion } from "@carillon/markdown";
import {
  directTopic,
  ensureDirectRecipients,
  flag,
  membersOf,
  memberKey,
  messageIdSlackMs,
} from "@carillon/model";
import { copyFlags, type MessageRecord, type NumberedRecord } from "@carillon/transfer";

import { ask } from "./connect.ts";
import { insertRows } from "./insert-rows.ts";
import { type Importing, mapRecords } from "./import-records.ts";
import { atLine, inSlicesOf } from "./journal.ts";
import type { Row } from "./map-record.ts";
import { giveIds, RecordProblem, WantedIds } from "./new-ids.ts";

/** The flags of a copy that another installation may set. */
const allowedFlags =
  copyFlags.read |
  copyFlags.starred |
  copyFlags.collapsed |
  flag.mentioned |
  flag.streamWildcardMentioned |
  flag.topicWildcardMentioned |
  flag.hasAlertWord |
  flag.historical;

/** A message on its way into the database. */
interface Imported {
  readonly record: MessageRecord;
  readonly line: number;
  readonly row: Row;
  readonly senderId: number;
  readonly recipientId: number;
  readonly isChannel: boolean;
}

/** Imports messages with their copies, reactions and submessages. */
export async function importMessages(of: Importing, step: string, after: number): Promise<void> {
  const defaultClient = await clientId(of);
  let lastId = await greatestId(of);
  const checkTime = await timeCheck(of);
  const impliedCopies = await impliedCopiesOf(of);
  await inSlicesOf(of, { table: "messages", step, after, impliedCopies }, async (records) => {
    for (const { record, line } of records)
      atLine(line, () => {
        const { id, sent_at: sentAt } = record as MessageRecord;
        if (id <= lastId)
          throw new RecordProblem(`id: ${id} is not higher than that of the line before`);
        lastId = id;
        checkTime(sentAt, line);
      });
    await giveIds(
      of.client,
      of.id,
      "messages",
      records.map(({ record }) => (record as MessageRecord).id),
    );
    const messages = await placed(of, records);
    await store(of, messages, defaultClient);
  });
}

/** Returns a function that counts the copies of a message whose record has none. */
async function impliedCopiesOf({
  client,
  id,
  realmId,
}: Importing): Promise<(record: NumberedRecord["record"]) => number> {
  const rows = await ask<{ kind: string; old: string; count: number }>(
    client,
    `WITH subscribed AS (
       SELECT s.channel_id, count(*)::int AS count FROM channels c JOIN subscriptions s ON s.channel_id = c.id AND s.active
       WHERE c.realm_id = $2 GROUP BY s.channel_id
     )
     SELECT i.kind, i.old_id AS old, s.count FROM import_ids i JOIN subscribed s ON s.channel_id = i.new_id
     WHERE i.import_id = $1 AND i.kind = 'channels'
     UNION ALL
     SELECT i.kind, i.old_id, coalesce(s.count, cardinality(r.member_ids)) FROM import_ids i
     JOIN recipients r ON r.id = i.new_id LEFT JOIN subscribed s ON s.channel_id = r.channel_id
     WHERE i.import_id = $1 AND i.kind = 'recipients' AND coalesce(s.count, cardinality(r.member_ids)) > ${fewCopies}`,
    [id, realmId],
  );
  const counts = new Map(rows.map(({ kind, old, count }) => [`${kind} ${old}`, count]));
  return (record) => {
    const { copies, channel_id: channel, recipient_id: recipient, to } = record as MessageRecord;
    if (copies) return 0;
    if (to) return to.length;
    return (
      counts.get(channel === undefined ? `recipients ${recipient}` : `channels ${channel}`) ?? 0
    );
  };
}

/** Conversations with at most so many members are not counted: there may be millions of them. */
const fewCopies = 100;

async function greatestId({ client, id }: Importing): Promise<number> {
  const [row] = await ask<{ last: string | null }>(
    client,
    "SELECT max(old_id) AS last FROM import_ids WHERE import_id = $1 AND kind = 'messages'",
    [id],
  );
  return Number(row?.last ?? 0);
}

/**
 * Returns a check of the times of messages, which searches by date expect in the order of the ids. A time in the future
 * is refused. An earlier time than before is reported once: the clock of the source may have been wrong.
 */
async function timeCheck({
  client,
  report,
}: Importing): Promise<(sentAt: string, line: number) => void> {
  const [row] = await ask<{ now: string }>(client, "SELECT now()::text AS now");
  const latest = Date.parse(row!.now) + messageIdSlackMs;
  let greatest = 0;
  let isReported = false;
  return (sentAt, line) => {
    const time = Date.parse(sentAt);
    if (time > latest) throw new RecordProblem(`sent_at: ${sentAt} is in the future`);
    if (time < greatest - messageIdSlackMs && !isReported) {
      isReported = true;
      report(
        `messages.ndjson, line ${line}: sent_at is earlier than that of a line before: searches by date may lead to a wrong place`,
      );
    }
    greatest = Math.max(greatest, time);
  };
}

/** The program under which messages of sources without programs were sent. */
async function clientId({ client }: Importing): Promise<number> {
  await ask(client, "INSERT INTO clients (name) VALUES ('import') ON CONFLICT DO NOTHING");
  const [row] = await ask<{ id: number }>(client, "SELECT id FROM clients WHERE name = 'import'");
  return row!.id;
}

/** Maps messages. Finds or creates their recipients where the record names a channel or accounts. */
async function placed(of: Importing, records: readonly NumberedRecord[]): Promise<Imported[]> {
  const plain = records.map(({ record, line, bytes }) => {
    const {
      copies: _,
      reactions: __,
      submessages: ___,
      channel_id: ____,
      to: _____,
      ...rest
    } = record;
    return { record: rest, line, bytes };
  });
  await loadPlaces(of, records);
  const mapped = await mapRecords(of, "messages", plain);
  const lines = new Map(records.map(({ record, line }) => [line, record as MessageRecord]));
  const direct = new Map<number, readonly number[]>();
  const channels = new Map<number, number>();
  for (const { row, line } of mapped)
    atLine(line, () => {
      const { recipient_id: recipient, channel_id: channel, to } = lines.get(line)!;
      const given = [recipient, channel, to].filter((one) => one !== undefined);
      if (given.length !== 1)
        throw new RecordProblem("needs one of recipient_id, channel_id and to");
      if (channel !== undefined) channels.set(line, need(of, "channels", channel));
      if (to !== undefined)
        direct.set(
          line,
          membersOf(
            Number(row["sender_id"]),
            to.map((one) => need(of, "users", one)),
          ),
        );
    });
  const conversations =
    direct.size === 0
      ? new Map<string, number>()
      : await of.db.transaction((tx) =>
          ensureDirectRecipients(tx, of.realmId, [...direct.values()]),
        );
  const ofChannels = await recipientsOfChannels(of, [...new Set(channels.values())]);
  const kinds = await kindsOf(
    of,
    mapped.flatMap(({ row }) =>
      row["recipient_id"] === undefined ? [] : [Number(row["recipient_id"])],
    ),
  );
  return mapped.map(({ row, line }) => {
    const channel = channels.get(line);
    const members = direct.get(line);
    const recipientId =
      channel !== undefined
        ? ofChannels.get(channel)
        : members
          ? conversations.get(memberKey(members))
          : Number(row["recipient_id"]);
    if (recipientId === undefined || Number.isNaN(recipientId)) throw new Error("no recipient");
    const isChannel =
      channel !== undefined || (members === undefined && kinds.get(recipientId) === true);
    return {
      record: lines.get(line)!,
      line,
      row,
      senderId: Number(row["sender_id"]),
      recipientId,
      isChannel,
    };
  });
}

/** Looks up the accounts and channels that are not columns of the row. */
async function loadPlaces(of: Importing, records: readonly NumberedRecord[]): Promise<void> {
  const wanted = new WantedIds(of.ids);
  for (const { record } of records) {
    const {
      channel_id: channel,
      to = [],
      copies = [],
      reactions = [],
      submessages,
    } = record as MessageRecord;
    if (channel !== undefined) wanted.of("channels", channel);
    for (const one of to) wanted.of("users", one);
    for (const [user] of copies) wanted.of("users", user);
    for (const { user_id: user, reaction_type: type, emoji_code: code } of reactions) {
      wanted.of("users", user);
      if (type === "realm_emoji") wanted.of("realm_emoji", Number(code));
    }
    if (Array.isArray(submessages))
      for (const one of submessages as readonly Row[])
        if (typeof one?.["sender_id"] === "number") wanted.of("users", one["sender_id"]);
  }
  await of.ids.load(wanted);
}

function need(of: Importing, kind: string, old: number): number {
  const found = of.ids.of(kind, old);
  if (found === undefined) throw new RecordProblem(`the export has no record ${old} of ${kind}`);
  return found;
}

async function recipientsOfChannels(
  { client, realmId }: Importing,
  channels: readonly number[],
): Promise<Map<number, number>> {
  if (channels.length === 0) return new Map();
  const rows = await ask<{ id: number; channel: number }>(
    client,
    "SELECT id, channel_id AS channel FROM recipients WHERE realm_id = $1 AND channel_id = ANY($2::int[])",
    [realmId, channels],
  );
  return new Map(rows.map(({ id, channel }) => [channel, id]));
}

/** Returns which recipients are channels. */
async function kindsOf(
  { client }: Importing,
  ids: readonly number[],
): Promise<ReadonlyMap<number, boolean>> {
  const rows = await ask<{ id: number; channel: boolean }>(
    client,
    "SELECT id, channel_id IS NOT NULL AS channel FROM recipients WHERE id = ANY($1::int[])",
    [[...new Set(ids)]],
  );
  return new Map(rows.map(({ id, channel }) => [id, channel]));
}

async function store(of: Importing, messages: readonly Imported[], client: number): Promise<void> {
  const texts = messages.flatMap(({ senderId, row }) => [
    { authorId: senderId, content: String(row["content"]) },
    ...formerTexts(row).map((content) => ({ authorId: senderId, content })),
  ]);
  const rendered = await renderImported(of.db, of.site, of.realmId, texts);
  let next = 0;
  const rows = messages.map(({ line, row, senderId, recipientId, isChannel }) => {
    const one = rendered[next++]!;
    if ("problem" in one)
      throw atLine(line, () => new RecordProblem(`${one.problem} (line ${line})`));
    const former = formerTexts(row).map(() => rendered[next++]!);
    if (one.change !== undefined) of.report(`messages.ndjson, line ${line}: ${one.change}`);
    const { id, topic = "", content: _, sent_at, client_id = client, last_edit_at, ...rest } = row;
    return {
      id,
      realm_id: of.realmId,
      sender_id: senderId,
      recipient_id: recipientId,
      is_channel: isChannel,
      topic: isChannel ? topic : directTopic,
      content: one.content,
      rendered_content: one.html,
      render_version: renderVersion,
      sent_at,
      client_id,
      has_link: one.hasLink,
      has_image: one.hasImage,
      has_attachment: one.hasAttachment,
      last_edit_at,
      edit_history: withFormer(row, former),
      scheduled_message_id: rest["scheduled_message_id"] ?? null,
      outgoing_call_id: rest["outgoing_call_id"] ?? null,
      topic_words: isChannel ? topicWords(String(topic)) : "",
      content_words: one.words,
    };
  });
  await ask(
    of.client,
    `INSERT INTO messages (${messageColumns}, search)
     SELECT ${messageColumns}, ${searchVector({ topic: "topic_words", content: "content_words" })}
     FROM json_to_recordset($1::json) AS m (id bigint, realm_id int, sender_id int, recipient_id int, is_channel bool,
       topic text, content text, rendered_content text, render_version smallint, sent_at timestamptz, client_id int,
       has_link bool, has_image bool, has_attachment bool, last_edit_at timestamptz, edit_history jsonb,
       scheduled_message_id bigint, outgoing_call_id bigint, topic_words text, content_words text)`,
    [JSON.stringify(rows)],
  );
  await storeCopies(of, messages);
  await storeReactions(of, messages);
}

const messageColumns = `id, realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content, render_version,
  sent_at, client_id, has_link, has_image, has_attachment, last_edit_at, edit_history, scheduled_message_id, outgoing_call_id`;

/** Returns the former texts of a message, which are rendered like its own. */
function formerTexts(row: Row): string[] {
  const history = row["edit_history"];
  if (!Array.isArray(history)) return [];
  return history.flatMap(({ prev_content: content }: Row) =>
    typeof content === "string" ? [content] : [],
  );
}

function withFormer(row: Row, rendered: readonly ImportedRendering[]): unknown {
  const history = row["edit_history"] ?? null;
  if (!Array.isArray(history)) return null;
  let next = 0;
  return history.map((entry: Row) => {
    if (typeof entry["prev_content"] !== "string") return entry;
    const one = rendered[next++]!;
    return "html" in one
      ? { ...entry, prev_content: one.content, prev_rendered_content: one.html }
      : { ...entry, prev_rendered_content: "" };
  });
}

/** Stores copies: those of the record, else one for each subscriber or member of the conversation, which is read. */
async function storeCopies(of: Importing, messages: readonly Imported[]): Promise<void> {
  const copies: Row[] = [];
  const without: Imported[] = [];
  for (const message of messages) {
    const { record, line, row, isChannel } = message;
    const direct = isChannel ? 0 : flag.direct;
    if (record.copies)
      for (const [user, flags] of record.copies)
        copies.push({
          user_id: atLine(line, () => need(of, "users", user)),
          message_id: row["id"],
          flags: (flags & allowedFlags) | direct,
        });
    else without.push(message);
  }
  await insertRows(of.client, "user_messages", copies, {
    columns: of.columns.get("user_messages")!,
  });
  if (without.length === 0) return;
  await ask(
    of.client,
    `INSERT INTO user_messages (user_id, message_id, flags)
     SELECT receiver.user_id, m.id, CASE WHEN r.channel_id IS NULL THEN ${flag.direct | flag.read} ELSE ${flag.read} END
     FROM unnest($1::bigint[], $2::int[]) AS m (id, recipient_id) JOIN recipients r ON r.id = m.recipient_id
     CROSS JOIN LATERAL (
       SELECT s.user_id FROM subscriptions s WHERE s.channel_id = r.channel_id AND s.active
       UNION SELECT unnest(r.member_ids)) receiver`,
    [without.map(({ row }) => row["id"]), without.map(({ recipientId }) => recipientId)],
  );
}

async function storeReactions(of: Importing, messages: readonly Imported[]): Promise<void> {
  const reactions: Row[] = [];
  const submessages: Row[] = [];
  for (const { record, line, row } of messages)
    atLine(line, () => {
      for (const one of record.reactions ?? []) {
        const { reaction_type: type = "unicode_emoji", emoji_name: name, emoji_code: code } = one;
        const ownCode =
          type === "realm_emoji" ? String(need(of, "realm_emoji", Number(code))) : code;
        if (ownCode === undefined) throw new RecordProblem(`reactions: ${name} has no emoji_code`);
        reactions.push({
          message_id: row["id"],
          user_id: need(of, "users", one.user_id),
          reaction_type: type,
          emoji_code: ownCode,
          emoji_name: name,
        });
      }
      const { submessages: given = [] } = record as { submessages?: unknown };
      if (!Array.isArray(given)) throw new RecordProblem("submessages: is not a list");
      for (const one of given as readonly Row[])
        submessages.push({
          message_id: row["id"],
          sender_id: need(of, "users", Number(one?.["sender_id"])),
          msg_type: one?.["msg_type"],
          content: one?.["content"],
        });
    });
  await insertRows(of.client, "reactions", reactions, { columns: of.columns.get("reactions")! });
  await insertRows(of.client, "submessages", submessages, {
    columns: of.columns.get("submessages")!,
  });
}
