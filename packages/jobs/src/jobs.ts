import * as declared from "./definitions/declared.ts";
import type { JobDefinition } from "./job.ts";
import { isIntentJob, type IntentDefinition } from "./intent-job.ts";
import { namedOnce } from "./named-once.ts";

/** All jobs. A worker refuses to start unless each has exactly one processor. */
export const allJobs: readonly JobDefinition[] = namedOnce(
  "job",
  Object.values<unknown>(declared).filter(isJob),
);

/** The jobs that run from rows of `job_intent`, by name. */
export const intentJobs: ReadonlyMap<string, IntentDefinition> = new Map(
  allJobs.filter(isIntentJob).map((definition) => [definition.name, definition]),
);

/** Distinguishes declarations from other exports of their files. */
function isJob(value: unknown): value is JobDefinition {
  return typeof value === "object" && value !== null && "payload" in value && "retry" in value;
}
