import { stat } from "node:fs/promises";
import { convertExport, discardConversion } from "@carillon/transfer";

import type { Context } from "../context.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly to: string;
  readonly name?: string;
  readonly files?: string;
  readonly topic: string;
  readonly url?: string;
}

/**
 * Converts an export of another program, and prints how much was carried over and how much was not.
 * @throws UsageError for options that make no sense
 * @throws StartupError for an export that cannot be read
 */
export async function convert(
  { terminal, cleanups }: Context,
  program: "slack" | "zulip",
  source: string,
  { to: folder, name, files, topic, url }: Options,
): Promise<void> {
  const problem = topicProblem(topic);
  if (problem !== undefined) throw new UsageError(`--topic ${problem}`);
  if (url !== undefined && !/^https?:\/\/[^/]+$/.test(url))
    throw new UsageError("--url must be like https://chat.example.com, without a slash at the end");
  if (program === "zulip" && files !== undefined)
    throw new UsageError("--files is for Slack: exports of Zulip have the contents of files");
  if (await stat(folder).catch(() => undefined)) throw new UsageError(`${folder} already exists`);
  const { records, reported, skipped, reportFile } = await cleanups.orUndo(
    () => discardConversion(folder),
    () =>
      convertExport({
        program,
        source,
        folder,
        organizationName: name,
        files,
        defaultTopic: topic,
        url,
        progress: (messages) => terminal.note(`${messages} messages`),
      }),
  );
  for (const [table, count] of records) if (count > 0) terminal.say(`${count} ${table}`);
  for (const [kind, count] of skipped) terminal.note(`Left out on purpose: ${kind} (${count})`);
  for (const [kind, count] of reported) terminal.note(`Left out or changed: ${kind} (${count})`);
  terminal.note(`Converted into ${folder}. ${reportFile} lists what was left out or changed.`);
}

function topicProblem(topic: string): string | undefined {
  if (Array.from(topic).length > 60) return "must not have more than 60 characters";
  return /[\p{Cc}\p{Cs}]/u.test(topic) ? "must not have control characters" : undefined;
}
