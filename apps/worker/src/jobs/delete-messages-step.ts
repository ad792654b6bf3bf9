import { deleteStep, noteFailedStep } from "@carillon/domain";
import { deleteMessagesStep } from "@carillon/jobs";
import { HandBack } from "@carillon/queue";

import { processor } from "../processor.ts";

/** Runs one step of a deletion of messages, and records a failed attempt in the row of the step. */
export default processor(
  deleteMessagesStep,
  async ({ payload, deadline, attempt, services: { db } }) => {
    try {
      await deleteStep(db.within(deadline), payload);
    } catch (error) {
      // Stopped by a shutdown: another worker continues.
      if (error instanceof HandBack) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      const last = attempt >= deleteMessagesStep.retry.attempts;
      await noteFailedStep(db, payload, { reason, last });
      throw error;
    }
  },
);
