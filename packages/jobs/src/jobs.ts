import * as declared from "./definitions/declared.ts";
import type { JobDefinition } from "./job.ts";
import { isIntentJob, type IntentDefinition } from "./intent-job.ts";
import { namedOnce } from "./named-once.ts";

/** Every job there is. A worker refuses to start unless it has exactly one processor for each. */
export const allJobs: readonly JobDefinition[] = namedOnce(
  "job",
  Object.values<unknown>(declared).filter(isJob),
);

/** The jobs that run from rows of `job_intent`, by name. */
export const intentJobs: ReadonlyMap<string, IntentDefinition> = new Map(
  allJobs.filter(isIntentJob).map((definition) => [definition.name, definition]),
);

/** Tells declarations from whatever else their files export. */
function isJob(value: unknown): value is JobDefinition {
  return typeof value === "object" && value !== null && "payload" in value && "retry" in value;
}
