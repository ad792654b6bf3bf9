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

/** Rows that may not even be looked at: the account is deactivated, or the row is too late. */
export function failedBeforeChecks(row: DueRow, realm: Realm): Failure | undefined {
  if (!row.senderActive) return deactivated(row);
  if (realm.deactivated)
    return failed(row, "deactivated", "The organization was deactivated.", true);
  if (row.tooLate)
    return failed(
      row,
      "late",
      `The server was more than ${isReminder(row) ? "seven days" : "ten minutes"} late.`,
    );
  return undefined;
}

/** What may not be sent. */
export function refused(row: DueRow, refusal: ApiError): Failure {
  return refusal.code === "UNAUTHORIZED"
    ? deactivated(row)
    : failed(row, refusal.code, sentence(refusal.message));
}

/** What could not be sent by itself either, however often it was tried. */
export function stuck(row: DueRow, silent: boolean): Failure {
  const reason = `The server tried ${row.attempts - 1} times to send it, and could not.`;
  return failed(row, "stuck", reason, silent);
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
