import {
  emptyLookups,
  Linkifiers,
  type Lookups,
  parseMessage,
  RenderLimitError,
  renderMessage,
} from "@carillon/markdown";
import {
  changedSlowText,
  oneOf,
  sequence,
  slowFragments,
  type SlowText,
  slowText,
  someSlowText,
} from "@carillon/testkit";
import { report, say, type Row } from "./lib/report.ts";
import { median } from "./lib/statistics.ts";
import { finds } from "./rendering/finds.ts";
import { costlyLinkifiers, linkifiedTexts } from "./rendering/linkified.ts";
import { worstTexts } from "./worst-request/texts.ts";

// Measures the CPU time of rendering the slowest texts. Arguments: the number of texts to try, the seed.
const [tried = 1_500, seed = 496] = process.argv.slice(2).map(Number);
const maxLength = 10_000;
const limitMs = 50;
const rounds = 5;
const kept = 12;

/** A text with its name in the table. */
type Named = readonly [name: string, text: string];

/** Renders a text. @returns CPU time of the process in milliseconds, including V8's compiler and garbage collector */
function cost(text: string, lookups: Lookups = emptyLookups): number {
  const before = process.cpuUsage();
  try {
    renderMessage(parseMessage(text, { translateEmoticons: true }), lookups);
  } catch (error) {
    if (!(error instanceof RenderLimitError)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Measures each text by the median of several rounds, and reports the slowest. */
function slowest(question: string, texts: readonly Named[], lookups?: Lookups): Row {
  const costs = texts.map(([name, text]) => {
    const each = Array.from({ length: rounds }, () => cost(text, lookups));
    return { name, ms: median(each), most: Math.max(...each) };
  });
  costs.sort((a, b) => b.ms - a.ms);
  for (const { name, ms } of costs.slice(0, kept)) say(`${ms.toFixed(1)} ms ${name}`);
  const worst = costs[0]!;
  const middle = median(costs.map(({ ms }) => ms));
  return {
    question: `${question}, ${texts.length} texts of 10,000 code points: processor time of the slowest, median of ${rounds}`,
    value: `${worst.ms.toFixed(1)} ms, once ${worst.most.toFixed(1)} (${worst.name}; half of them at most ${middle.toFixed(1)})`,
    target: `at most ${limitMs} ms`,
    holds: worst.ms <= limitMs,
  };
}

/** Searches for slow texts: some at random, then variants of the slowest ones so far. */
function search(): SlowText[] {
  const random = sequence(seed);
  const worst: { of: SlowText; ms: number }[] = finds.map((of) => ({
    of,
    ms: cost(slowText(of, maxLength)),
  }));
  for (let n = 0; n < tried; n++) {
    const of =
      random() < 0.6 ? changedSlowText(random, oneOf(random, worst).of) : someSlowText(random);
    const text = slowText(of, maxLength);
    // Other load on the machine makes some texts seem slower, so a text that would be kept is measured again.
    let ms = cost(text);
    if (ms > (worst.at(-1)?.ms ?? 0)) ms = Math.min(ms, cost(text), cost(text));
    worst.push({ of, ms });
    worst.sort((a, b) => b.ms - a.ms).splice(kept);
  }
  return worst.map(({ of }) => of);
}

const repeated = slowFragments.map((fragment): Named => {
  const of = { beginning: "", repeated: fragment, between: "", after: "", share: 1 };
  return [JSON.stringify(fragment), slowText(of, maxLength)];
});
const composed = Object.entries(worstTexts).map(([name, text]): Named => [name, text(maxLength)]);
const corpus = [...repeated, ...composed];
// Warms up: V8 compiles code while it renders the first texts.
for (let n = 0; n < 3; n++) for (const [, text] of corpus) cost(text);
const rows = [slowest("the corpus of hostile texts", corpus)];
const found = [...finds, ...search()].map((of): Named => [
  JSON.stringify(of),
  slowText(of, maxLength),
]);
rows.push(
  slowest(`the slowest texts that a search over ${tried} texts and earlier searches found`, found),
);
for (const [name, linkifiers] of Object.entries(costlyLinkifiers)) {
  const lookups = { ...emptyLookups, linkifiers: new Linkifiers(linkifiers) };
  const texts = [...Object.entries(linkifiedTexts(maxLength)), ...corpus];
  for (const [, text] of texts) cost(text, lookups);
  rows.push(slowest(`linkifiers, ${name}`, texts, lookups));
}
await report("rendering", rows);
process.exit(0);
