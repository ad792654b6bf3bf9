import { packed } from "@carillon/db";
import { chatLine } from "./lib/chat-lines.ts";
import { report, say, type Row } from "./lib/report.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { medianRatio, spread } from "./lib/statistics.ts";

// Compares two formats of the arrays that a delivery batch sends to PostgreSQL: binary (`packed`) and the text format
// of `pg`.
const messages = 500;
const rounds = 40;
const times = 0.8;

const statement = `SELECT count(*) FROM unnest($1::bigint[], $2::int[], $3::bool[], $4::text[], $5::text[])`;
const ids = Array.from({ length: messages }, (_, n) => 2 ** 33 + n);
const senders = ids.map((_, n) => n % 50);
const flags = ids.map((_, n) => n % 3 === 0);
const contents = ids.map((_, n) => chatLine(n, "Iago"));
const html = contents.map((content) => `<p>${content} <a href="https://example.com">…</a></p>`);

const database = await createBenchDatabase("postgres");
const run = async (make: () => unknown[]) => {
  const begun = performance.now();
  for (let n = 0; n < 10; n++) await database.db.rows(statement, make());
  return (performance.now() - begun) / 10;
};
const binary = () => [
  packed.bigints(ids),
  packed.ints(senders),
  packed.bools(flags),
  packed.texts(contents),
  packed.texts(html),
];
const text = () => [ids, senders, flags, contents, html];

const ours: number[] = [];
const theirs: number[] = [];
// The first round warms up.
for (let round = 0; round <= rounds; round++) {
  const pair = [await run(binary), await run(text)] as const;
  if (round === 0) continue;
  ours.push(pair[0]);
  theirs.push(pair[1]);
}
await database.drop();
const ratio = medianRatio(ours, theirs);
const row: Row = {
  question: `a statement with five arrays of ${messages} items, binary (\`packed\`) against the text format of pg`,
  value: `${ratio.toFixed(2)} × (${spread(ours, 2)} against ${spread(theirs, 2)} ms)`,
  target: `at most ${times} ×`,
  holds: ratio <= times,
};
say(row.value);
await report("array-parameters", [row]);
process.exit(0);
