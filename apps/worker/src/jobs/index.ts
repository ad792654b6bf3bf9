import type { AnyProcessor } from "../processor.ts";
import type { WorkerServices } from "../services.ts";
import { deliverDueProcessor } from "./deliver-due.ts";
import { markReadProcessor } from "./mark-read.ts";
import { sendNoticeProcessor } from "./send-notice.ts";

/** The processor of every declared job; the runner refuses to start when one is missing. */
export function allProcessors(services: WorkerServices): AnyProcessor[] {
  return [
    deliverDueProcessor(services),
    markReadProcessor(services),
    sendNoticeProcessor(services),
  ];
}
