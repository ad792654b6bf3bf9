import type { Realm } from "@carillon/model";
import type { ApiError } from "@carillon/contract";

import { isReminder, type DueRow } from "./claim.ts";
import type { Failure } from "./outcome.ts";

/** Nobody is told of a reminder that fails, nor a bot of the organization's own (scheduled-messages.md §5, §8). */
function failed(row: DueRow, cause: string, reason: string, silent = false): Failure {
  return {
    row,
    kind: "failed",
    reason,
    cause,
    silent: silent || row.bySystemBot || isReminder(row),
  };
}

/** Rows that may not even be looked at: of nobody who is there, or too late, which a reminder never is. */
export function failedBeforeChecks(row: DueRow, realm: Realm): Failure | undefined {
  if (!row.senderActive) return deactivated(row);
  if (realm.deactivated)
    return failed(row, "deactivated", "The organization was deactivated.", true);
  if (row.tooLate && !isReminder(row))
    return failed(row, "late", "The server was more than ten minutes late.");
  return undefined;
}

/** What may not be sent. */
export function refused(row: DueRow, refusal: ApiError): Failure {
  return refusal.code === "UNAUTHORIZED"
    ? deactivated(row)
    : failed(row, refusal.code, sentence(refusal.message));
}

/** What nobody expected. */
export function broken(row: DueRow): Failure {
  return failed(row, "broken", "Something went wrong on the server.");
}

function deactivated(row: DueRow): Failure {
  return failed(row, "deactivated", "The sender's account was deactivated.", true);
}

/** A refusal's text as a sentence. */
function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
