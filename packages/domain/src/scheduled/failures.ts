import type { ApiError } from "@carillon/contract";
import { batchTries } from "@carillon/scheduling";

import { isReminder, type DueRow } from "./due-row.ts";
import type { Failure, UnreadFailure, UnreadRow } from "./outcome.ts";
import { gracePeriodOf } from "./series/series-row.ts";

/**
 * Makes the failure of a row. It is always silent for a reminder and for a message of a system bot or of a deactivated
 * account, because there is no sender to notify (scheduled-messages.md §5, §8).
 */
function failed(row: DueRow, cause: string, reason: string, silent = false): Failure {
  return {
    row,
    kind: "failed",
    reason,
    cause,
    silent: silent || row.bySystemBot || isReminder(row) || !row.senderActive,
  };
}

/** How often a row is tried alone before it fails. */
export const singleTries = 2;

/** Causes of failures of rows that are too late to be sent. */
const lateCauses = { server: "late", deactivation: "REALM_DEACTIVATED" } as const;

/** Whether the row failed because it was too late. */
export function isTooLate({ cause }: Pick<Failure, "cause">): boolean {
  return Object.values<string>(lateCauses).includes(cause);
}

/** Whether the row was too late because its organization was deactivated when it was due. */
export function isLateByDeactivation({ cause }: Pick<Failure, "cause">): boolean {
  return cause === lateCauses.deactivation;
}

/**
 * Makes the failure of a row that fails before its message is checked, because the account is deactivated or the row is
 * too late; undefined for other rows.
 * @param options `handedOver`: whether another account sends it for a deactivated one
 */
export function failedBeforeChecks(
  row: DueRow,
  { handedOver }: { readonly handedOver: boolean },
): Failure | undefined {
  if (!row.senderActive && !handedOver) return deactivated(row);
  return row.tooLate ? late(row) : undefined;
}

/** Makes the failure of a row that is too late to be sent. */
export function late(row: DueRow): Failure {
  if (row.dueBeforeReactivation)
    return failed(row, lateCauses.deactivation, "The organization was deactivated at that time.");
  return failed(row, lateCauses.server, `The server was more than ${gracePeriod(row)} late.`);
}

function gracePeriod(row: DueRow): string {
  if (isReminder(row)) return "seven days";
  return row.series && !row.detached ? `${gracePeriodOf(row.series)} seconds` : "ten minutes";
}

/** Makes the failure of a row whose message the check rejected. */
export function rejected(row: DueRow, error: ApiError): Failure {
  return error.code === "UNAUTHORIZED"
    ? deactivated(row)
    : failed(row, error.code, sentence(error.message));
}

/** The failure message of a row that has used up its tries. */
export const stuckReason = `The server tried ${batchTries + singleTries} times to send it, and could not.`;

/** Makes the failure of a row that has used up its tries. */
export function stuck(row: DueRow, silent: boolean): Failure {
  return failed(row, "stuck", stuckReason, silent);
}

/** Makes the failure of a row that has used up its tries and cannot be read. */
export function stuckUnread(row: UnreadRow): UnreadFailure {
  return { row, kind: "failed", cause: "stuck", reason: stuckReason, silent: true };
}

/** Makes the failure of a row whose delivery threw an unexpected error. */
export function broken(row: DueRow): Failure {
  return failed(row, "broken", "Something went wrong on the server.");
}

function deactivated(row: DueRow): Failure {
  return failed(row, "deactivated", "The sender's account was deactivated.", true);
}

/** Ends the text of an error with a full stop. */
function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
