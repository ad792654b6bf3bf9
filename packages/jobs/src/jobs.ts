import { deliverDue } from "./definitions/deliver-due.ts";
import { markRead } from "./definitions/mark-read.ts";
import { sendNotice } from "./definitions/send-notice.ts";
import type { JobDefinition } from "./job.ts";
import { isIntentJob, type IntentDefinition } from "./intent-job.ts";
import { namedOnce } from "./named-once.ts";

/** Every job there is. A worker refuses to start unless it has exactly one processor for each. */
export const allJobs = namedOnce("job", [deliverDue, markRead, sendNotice] as const);

/** The jobs that run from rows of `job_intent`, by name. */
export const intentJobs: ReadonlyMap<string, IntentDefinition> = new Map(
  [...(allJobs as readonly JobDefinition[])]
    .filter(isIntentJob)
    .map((definition) => [definition.name, definition]),
);
