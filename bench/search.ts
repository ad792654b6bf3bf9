import { historyDatabase } from "./lib/history/database.ts";
import { ask } from "./lib/http.ts";
import { report, say, type Row } from "./lib/report.ts";
import { quantile, spread } from "./lib/statistics.ts";
import { startGateway } from "./lib/system.ts";
import { readRequest } from "./reading/requests.ts";

// Measures searches in a large history. `npm run bench -- search 300000` runs the same bench with fewer messages, in
// less time.
const many = Number(process.argv[2] ?? 3_000_000);
const times = 60;
const manyText = many.toLocaleString("en");

/** Milliseconds within which 95 % of searches should be answered. */
const limits = { rare: 50, common: 300 };

const { database, history } = await historyDatabase({ messages: many });
const gateway = await startGateway(database);
const reader = history.members[0]!;
const channel = history.busy[0]!;
const everywhere = [{ operator: "search", operand: "" }];
const inChannel = [{ operator: "channel", operand: channel.id }, ...everywhere];

/**
 * Search terms: a word in one of 100,000 messages, a word in one of ten, and two common words that few messages share.
 */
const searches = {
  rare: (n: number) => `case${100 + n}`,
  common: (n: number) => ["deployment", "meeting", "morning", "thanks", "reviewers"][n % 5]!,
  "two common": (n: number) => ["deployment plants", "meeting badges", "lunch quarter"][n % 3]!,
};

const rows: Row[] = [];
for (const [kind, words] of Object.entries(searches))
  for (const [where, narrow] of [
    ["all messages", everywhere],
    ["a busy channel", inChannel],
  ] as const)
    rows.push(await measure(kind, where, words, narrow));
await gateway.stop();
await report("search", rows);
process.exit(0);

async function measure(
  kind: string,
  where: string,
  words: (n: number) => string,
  narrow: ReadonlyArray<{ readonly operator: string; readonly operand: unknown }>,
): Promise<Row> {
  const took: number[] = [];
  let found = 0;
  // The first tenth is a warm-up.
  for (let n = -times / 10; n < times; n++) {
    const terms = narrow.map((term) =>
      term.operator === "search" ? { ...term, operand: words(Math.abs(n)) } : term,
    );
    const { body: _body, ...request } = readRequest(reader, {
      anchor: "newest",
      num_before: "100",
      num_after: "0",
      narrow: JSON.stringify(terms),
    });
    const startedAt = performance.now();
    const { messages } = await ask<{ messages: readonly unknown[] }>(gateway.port, request);
    if (n < 0) continue;
    took.push(performance.now() - startedAt);
    found += messages.length;
  }
  const limit = kind === "rare" ? limits.rare : limits.common;
  const p95 = quantile(took, 0.95);
  say(`${kind} in ${where}: p95 ${p95.toFixed(0)} ms, ${(found / times).toFixed(0)} found`);
  return {
    question: `the 100 newest with ${kind === "two common" ? "two common words" : `a ${kind} word`} in ${where}, ${manyText} messages in all, one request at a time: p95`,
    value: `${p95.toFixed(0)} ms (all: ${spread(took)} ms, ${(found / times).toFixed(0)} messages found)`,
    target: `at most ${limit} ms`,
    holds: p95 <= limit,
  };
}
