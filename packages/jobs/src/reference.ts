import * as z from "zod";
import { allRecurring } from "./all-recurring.ts";
import { span } from "./duration.ts";
import type { JobDefinition } from "./job.ts";
import { allJobs } from "./jobs.ts";
import { limitOf, queueNames, queues, type QueueName } from "./queues.ts";
import { recurringReference } from "./recurring-reference.ts";

/** Returns the content of `docs/jobs.md`, generated from the declarations. */
export function jobsReference(jobs: readonly JobDefinition[] = allJobs): string {
  const lines = [
    "# Jobs",
    "",
    "Generated from `packages/jobs` by `npm run generate`; do not edit.",
    "",
    'A job says only "look at this row now". It may run twice, late or not at all; the rows decide.',
    "",
    "| queue | title | concurrency per process | rate limit | jobs |",
    "| --- | --- | --- | --- | --- |",
    ...queueNames.map(
      (name) =>
        `| \`${name}\` | ${queues[name].title} | ${queues[name].concurrency} | ${limitText(name)} | ${queues[name].about} |`,
    ),
  ];
  for (const definition of jobs) lines.push("", ...section(definition));
  lines.push("", ...recurringReference(allRecurring));
  return `${lines.join("\n")}\n`;
}

function limitText(name: QueueName): string {
  const limit = limitOf(name);
  return limit ? `${limit.jobs} in ${span(limit.withinMs)}` : "";
}

function section(definition: JobDefinition): string[] {
  const { retry } = definition;
  const kept =
    definition.keepCompletedMs === 0
      ? "removed at once"
      : `kept ${span(definition.keepCompletedMs)}`;
  return [
    `## \`${definition.name}\``,
    "",
    definition.about,
    "",
    `- Queue: \`${definition.queue}\` (${queues[definition.queue].title})`,
    `- Attempts: ${retry.attempts}, the first pause ${span(retry.firstMs)}, doubling to ${span(retry.capMs)}, ` +
      `jitter up to ${Math.round(retry.jitter * 100)} % of each pause`,
    `- Deadline of one run: ${span(definition.deadlineMs)}`,
    `- When completed: ${kept}`,
    "",
    "```json",
    JSON.stringify(payloadSchema(definition), null, 2),
    "```",
  ];
}

/** Returns the payload's JSON Schema, for the reference page and the dashboard. */
function payloadSchema(definition: JobDefinition): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(definition.payload);
  return schema;
}
