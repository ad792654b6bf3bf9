import { span } from "./duration.ts";
import type { RecurringDefinition } from "./recurring.ts";

/** Returns the section of `docs/jobs.md` about recurring work, as lines of Markdown. */
export function recurringReference(definitions: readonly RecurringDefinition[]): string[] {
  const lines = [
    "## Recurring work",
    "",
    "Recurring work runs when a process starts and then at its interval, one run at a time.",
    "A leader holds a lock for one transaction; PostgreSQL ends the transaction of a frozen process after ten seconds.",
  ];
  for (const definition of definitions) lines.push("", ...section(definition));
  return lines;
}

function section(definition: RecurringDefinition): string[] {
  const { name, about, processes, everyMs, leader, deadlineMs } = definition;
  return [
    `### \`${name}\``,
    "",
    about,
    "",
    `- Runs in: ${processes.map((process) => `every ${process}`).join(", ")}`,
    `- Every: ${span(everyMs)}`,
    `- Runs at the same time in: ${leaders[leader]}`,
    `- Bound: ${bound(definition)}`,
    `- Deadline of one run: ${span(deadlineMs)}`,
  ];
}

const leaders: Readonly<Record<RecurringDefinition["leader"], string>> = {
  one: "one process",
  "one per organization": "one process for each organization",
  none: "every process",
};

function bound({ bound: { batch, batches, of } }: RecurringDefinition): string {
  const one = `${batch.toLocaleString("en")} ${of}`;
  if (batches === 1) return one;
  return Number.isFinite(batches)
    ? `${batches} batches of ${one}`
    : `batches of ${one}, until there are no more`;
}
