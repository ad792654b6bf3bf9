import { GiveUp, InvalidPayload, type Publication } from "@carillon/jobs";
import { type Job, UnrecoverableError, WaitingChildrenError, WaitingError } from "bullmq";
import { AwaitChildren } from "./await-children.ts";
import { HandBack } from "./hand-back.ts";

/** Adds jobs to the queue as children of `parent`. */
export type AddChildren = (parent: Job, children: readonly Publication[]) => Promise<void>;

/**
 * Waits until a run of a job ends, and tells BullMQ how it ended. Moves a job that was handed back or that awaits children,
 * and makes errors that a retry cannot fix unrecoverable.
 * @throws the error that tells BullMQ how the run ended, unless it succeeded
 */
export async function endRun(
  job: Job,
  token: string | undefined,
  running: Promise<void>,
  addChildren: AddChildren,
): Promise<void> {
  try {
    await running;
  } catch (error) {
    if (error instanceof AwaitChildren) {
      await addChildren(job, error.children);
      if (await job.moveToWaitingChildren(token ?? "")) throw new WaitingChildrenError();
      // All children have ended already.
      await job.moveToWait(token);
      throw new WaitingError();
    }
    if (error instanceof HandBack) {
      await job.moveToWait(token);
      throw new WaitingError();
    }
    if (error instanceof GiveUp || error instanceof InvalidPayload) throw unrecoverable(error);
    throw error;
  }
}

function unrecoverable(error: Error): UnrecoverableError {
  const wrapped = new UnrecoverableError(error.message);
  wrapped.cause = error;
  return wrapped;
}
