import { jsonItems } from "../archives/json-items.ts";
import type { SourceArchive } from "../archives/source-archive.ts";
import { cut } from "../clean-names.ts";
import type { ConversionReport } from "../conversion-report.ts";
import type { MessageRecord } from "../records.ts";
import { TransferError } from "../transfer-error.ts";
import type { RecipientTargets } from "./recipient-targets.ts";
import type { ReactionTable } from "./reaction-table.ts";
import { bytesOf, carry } from "./realm-tables.ts";
import { defined, Row, RowProblem } from "./row.ts";

/** Messages and copies that one file may have; Zulip writes 1,000 messages into one. */
const maxMessages = 100_000;
const maxCopies = 50_000_000;

/** Bits of Zulip's flags → ours. */
const flags: readonly (readonly [number, number])[] = [
  [1, 1], // read
  [2, 2], // starred
  [4, 4], // collapsed
  [8, 8], // mentioned
  [16, 16], // by a wildcard of the channel
  [32, 32], // by a wildcard of the topic
  [64, 8], // by a group
  [512, 64], // has an alert word
  [1024, 128], // historical
];
const direct = 256;

export interface MessageSources {
  readonly archive: SourceArchive;
  readonly report: ConversionReport;
  readonly targets: RecipientTargets;
  readonly reactions: ReactionTable;
  readonly accounts: ReadonlySet<number>;
  readonly channels: ReadonlySet<number>;
  readonly clients: ReadonlySet<number>;
  readonly progress?: ((messages: number) => void) | undefined;
}

/** A message and its copies: account, flags, account, flags, … */
interface FoundMessage {
  readonly record: MessageRecord;
  readonly copies: number[];
}

/** Reads the messages of all `messages-000001.json`, by ascending id. Holds one file in memory. */
export async function* messagesOf(sources: MessageSources): AsyncGenerator<MessageRecord> {
  const names = sources.archive.names
    .filter((name) => /^messages-\d+\.json$/.test(name))
    .sort(byNumber);
  let last = 0;
  let count = 0;
  for (const name of names) {
    for (const { record, copies } of await readFile(name, sources)) {
      if (record.id <= last)
        throw new TransferError(
          name,
          undefined,
          `has the message ${record.id} after the message ${last}`,
        );
      last = record.id;
      const pairs: [number, number][] = [];
      for (let at = 0; at < copies.length; at += 2)
        pairs.push([copies[at] ?? 0, copies[at + 1] ?? 0]);
      const reactions = sources.reactions.take(record.id);
      yield { ...record, copies: pairs, ...(reactions.length > 0 && { reactions }) };
      if (++count % 10_000 === 0) sources.progress?.(count);
    }
    await sources.report.flushIfFull();
  }
}

async function readFile(name: string, sources: MessageSources): Promise<readonly FoundMessage[]> {
  const { archive, report, accounts } = sources;
  const messages = new Map<number, FoundMessage>();
  let copies = 0;
  // Copies are first in no export that was seen; if they were, they would be of no message.
  for await (const { list, value, index } of jsonItems(name, bytesOf(archive, name))) {
    const where = `${name}, row ${index} of ${list}`;
    if (list === "zerver_message") {
      const record = carry(report, where, "message", () => messageOf(new Row(value), sources));
      if (record && messages.has(record.id))
        throw new TransferError(name, undefined, `has the message ${record.id} twice`);
      if (record) messages.set(record.id, { record, copies: [] });
      if (messages.size > maxMessages)
        throw new TransferError(name, undefined, `has more than ${maxMessages} messages`);
    } else if (list === "zerver_usermessage") {
      if (++copies > maxCopies)
        throw new TransferError(name, undefined, `has more than ${maxCopies} copies`);
      const row = carry(report, where, "copy", () => new Row(value));
      if (!row) continue;
      const userId = row.maybeNumber("user_profile") ?? 0;
      const message = messages.get(row.maybeNumber("message") ?? 0);
      if (!message) report.skip("copies of messages that are not in the export");
      else if (!accounts.has(userId)) report.skip("copies of people who are not in the export");
      else message.copies.push(userId, flagsOf(row.maybeNumber("flags_mask") ?? 0, message.record));
    }
  }
  return [...messages.values()].sort((a, b) => a.record.id - b.record.id);
}

function messageOf(
  row: Row,
  { targets, accounts, channels, clients, report }: MessageSources,
): MessageRecord {
  const senderId = row.number("sender");
  if (!accounts.has(senderId)) throw new RowProblem(`the sender ${senderId} is not in the export`);
  const recipient = row.number("recipient");
  const channelId = targets.channel(recipient);
  const to = channelId === undefined ? targets.conversation(recipient, senderId) : undefined;
  if (channelId === undefined && to === undefined)
    throw new RowProblem(`the recipient ${recipient} is not in the export`);
  if (channelId !== undefined && !channels.has(channelId))
    throw new RowProblem(`the channel ${channelId} is not in the export`);
  const missing = to?.find((one) => !accounts.has(one));
  if (missing !== undefined) throw new RowProblem(`the account ${missing} is not in the export`);
  const client = row.maybeNumber("sending_client");
  const content = row.text("content");
  if (content === "") throw new RowProblem("has no content");
  return defined({
    id: row.id,
    sender_id: senderId,
    ...(channelId === undefined
      ? { to }
      : { channel_id: channelId, topic: cut(row.text("subject").trim(), 60) }),
    sent_at: row.time("date_sent"),
    content,
    last_edit_at: row.maybeTime("last_edit_time"),
    edit_history: historyOf(row, report),
    client_id: client !== undefined && clients.has(client) ? client : undefined,
  });
}

/** Members of an entry of a history that are carried over; the rendered text is made anew. */
const historyMembers = [
  "user_id",
  "timestamp",
  "prev_content",
  "prev_topic",
  "topic",
  "prev_stream",
  "stream",
];

/** Returns the history of edits, which is JSON in a text. */
function historyOf(row: Row, report: ConversionReport): readonly object[] | undefined {
  const text = row.maybeText("edit_history");
  if (text === undefined || text === "") return undefined;
  try {
    const entries = JSON.parse(text) as unknown;
    if (!Array.isArray(entries)) throw new Error("no list");
    const history = entries.slice(0, 1000).map((entry: Readonly<Record<string, unknown>>) => {
      if (typeof entry["timestamp"] !== "number") throw new Error("no time");
      return Object.fromEntries(
        historyMembers.flatMap((name) => (entry[name] === undefined ? [] : [[name, entry[name]]])),
      );
    });
    return history.length === 0 ? undefined : history;
  } catch {
    report.add({ what: "edit history", where: `message ${row.id}`, why: "is not a list of edits" });
    return undefined;
  }
}

function flagsOf(mask: number, message: MessageRecord): number {
  let bits = message.to === undefined ? 0 : direct;
  for (const [theirs, ours] of flags) if ((mask & theirs) !== 0) bits |= ours;
  return bits;
}

function byNumber(a: string, b: string): number {
  const number = (name: string) => Number(/\d+/.exec(name)?.[0] ?? 0);
  return number(a) - number(b);
}
