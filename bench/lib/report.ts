import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { serverVersions } from "./servers.ts";

/** One row of a result: a question, the measured value, the target. */
export interface Row {
  readonly question: string;
  readonly value: string;
  readonly target: string;
  readonly holds: boolean;
}

/** When and on which machine each table was measured, by the name of the bench. */
type Circumstances = Readonly<
  Record<string, { readonly date: string; readonly machine: string; readonly load: string }>
>;

const folder = fileURLToPath(new URL("../results/", import.meta.url));
const page = fileURLToPath(new URL("../results.md", import.meta.url));
const startedAt = performance.now();
const loadAtStart = loadavg()[0]!.toFixed(1);

/** Prints a line of progress. */
export function say(text: string): void {
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${text}`);
}

/** Prints the table, writes it to `results/NAME.json`, and updates `results.md`. */
export async function report(name: string, rows: readonly Row[]): Promise<void> {
  console.log(`\n${table(rows)}\n`);
  mkdirSync(folder, { recursive: true });
  write(`${name}.json`, rows);
  const known = read<Circumstances>("circumstances.json") ?? {};
  const date = new Date().toISOString().slice(0, 10);
  const circumstances = { ...known, [name]: { date, machine: await machine(), load: loadAtStart } };
  write("circumstances.json", circumstances);
  writeFileSync(page, results(circumstances));
}

function results(circumstances: Circumstances): string {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(".json") && file !== "circumstances.json")
    .map((file) => basename(file, ".json"))
    .sort();
  const sections = names.map((name) => {
    const { date, machine, load } = circumstances[name] ?? { date: "?", machine: "?", load: "?" };
    const taken = `Taken on ${date}, load average ${load} before: ${machine}.`;
    return `## ${name}\n\n${taken}\n\n${table(read<Row[]>(`${name}.json`) ?? [])}\n`;
  });
  return [
    "# Bench results\n",
    "Written by `npm run bench`. Each ratio comes from one run that measures both sides alternately. Values are medians, with the smallest and the largest in brackets.\n",
    ...sections,
  ].join("\n");
}

async function machine(): Promise<string> {
  const { postgres, redis } = await serverVersions();
  const processor = cpus()[0]?.model.trim() ?? "unknown processor";
  return [
    `${processor}, ${cpus().length} cores`,
    `${(totalmem() / 2 ** 30).toFixed(0)} GB`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${postgres}`,
    redis ? `Redis ${redis}` : "no Redis",
  ].join(", ");
}

/** Renders rows as a Markdown table with aligned columns. */
function table(rows: readonly Row[]): string {
  const lines = [
    ["question", "value", "target", "holds"],
    ...rows.map(({ question, value, target, holds }) =>
      [question, value, target, holds ? "yes" : "**no**"].map((cell) =>
        cell.replaceAll("|", "\\|"),
      ),
    ),
  ];
  const widths = [0, 1, 2, 3].map((i) => Math.max(...lines.map((cells) => cells[i]!.length)));
  lines.splice(
    1,
    0,
    widths.map((width) => "-".repeat(width)),
  );
  return lines
    .map((cells) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`)
    .join("\n");
}

function write(file: string, value: unknown): void {
  writeFileSync(`${folder}${file}`, `${JSON.stringify(value, null, 2)}\n`);
}

function read<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(`${folder}${file}`, "utf8")) as T;
  } catch {
    return undefined;
  }
}
