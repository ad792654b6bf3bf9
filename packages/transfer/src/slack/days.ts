import { jsonItems } from "../archives/json-items.ts";
import type { SourceArchive } from "../archives/source-archive.ts";
import type { ConversionReport } from "../conversion-report.ts";
import { TransferError } from "../transfer-error.ts";
import type { Conversation, SlackConversations } from "./conversations.ts";
import { type SlackMessage, slackMessage } from "./schemas.ts";

/** Characters of JSON that the messages of one day may have, in all conversations. */
const maxDay = 256 * 1024 * 1024;

/** Characters of JSON that a message may have. Slack's own limits allow some 200,000. */
const maxMessage = 1024 * 1024;

/** A message with its place. */
export interface FoundMessage {
  readonly conversation: Conversation;
  readonly message: SlackMessage;
  /** File and time, for the report. */
  readonly where: string;
}

/**
 * Reads all messages in the order of their times. The export has a file for each conversation and day: the files of one
 * day are read together, so that memory does not grow with the history.
 */
export async function* messagesByTime(
  archive: SourceArchive,
  conversations: SlackConversations,
  report: ConversionReport,
): AsyncGenerator<FoundMessage> {
  for (const [day, files] of daysOf(archive, report)) {
    const found: FoundMessage[] = [];
    const seen = new Set<string>();
    let size = 0;
    for (const { name, folder } of files) {
      const conversation = conversations.inFolder(folder);
      if (!conversation) {
        report.add({ what: "folder", where: name, why: "no conversation has this name or id" });
        continue;
      }
      for await (const { value, index, bytes } of jsonItems(
        name,
        (await archive.open(name)) as AsyncIterable<Buffer>,
      )) {
        size += bytes;
        if (size > maxDay)
          throw new TransferError(
            name,
            undefined,
            `the messages of ${day} have more than ${maxDay} bytes`,
          );
        if (bytes > maxMessage) {
          report.add({
            what: "message",
            where: `${name}, element ${index}`,
            why: `has more than ${maxMessage} bytes, which no message of Slack has`,
          });
          continue;
        }
        const parsed = slackMessage.safeParse(value);
        if (!parsed.success) {
          report.add({
            what: "message",
            where: `${name}, element ${index}`,
            why: "is no message: it has no valid ts",
          });
          continue;
        }
        const message = parsed.data;
        const where = `${name}, ${message.ts}`;
        const key = `${conversation.slackId}/${message.ts}`;
        if (seen.has(key)) {
          report.add({
            what: "message",
            where,
            why: "another message of the conversation has the same ts",
          });
          continue;
        }
        seen.add(key);
        found.push({ conversation, message, where });
      }
    }
    found.sort((a, b) => compareTimes(a.message.ts, b.message.ts));
    yield* found;
  }
}

/** Returns the files of each day, by ascending day. */
function daysOf(
  archive: SourceArchive,
  report: ConversionReport,
): [string, { readonly name: string; readonly folder: string }[]][] {
  const days = new Map<string, { readonly name: string; readonly folder: string }[]>();
  for (const name of archive.names) {
    const match = /^(.+)\/(\d{4}-\d{2}-\d{2})\.json$/.exec(name);
    if (!match) {
      if (name.endsWith(".json") && name.includes("/"))
        report.skip("other JSON files of the export");
      continue;
    }
    const [, folder = "", day = ""] = match;
    const files = days.get(day);
    if (files) files.push({ name, folder });
    else days.set(day, [{ name, folder }]);
  }
  return [...days].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Compares `seconds.fraction`, of which the fraction has six digits where it is there. */
function compareTimes(a: string, b: string): number {
  return microseconds(a) - microseconds(b);
}

/** Returns a Slack time in microseconds since 1970; below 2 ** 53 for years before 2255. */
export function microseconds(ts: string): number {
  const [seconds = "0", fraction = ""] = ts.split(".");
  return Number(seconds) * 1_000_000 + Number(fraction.padEnd(6, "0"));
}
