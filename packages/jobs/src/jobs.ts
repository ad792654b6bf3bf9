import { defineJobs } from "./define-jobs.ts";
import { deliverDue } from "./definitions/deliver-due.ts";

/** Every job there is. A worker refuses to start unless it has exactly one processor for each. */
export const allJobs = defineJobs(deliverDue);
