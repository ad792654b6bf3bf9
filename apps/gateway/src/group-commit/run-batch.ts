import { ApiError, errors } from "@carillon/contract";
import { isTransient, RequestDeadline, type Database, type Tx } from "@carillon/db";

import { LeavingBatch } from "./batch-handler.ts";

/** A request whose transaction is shared. */
interface Member {
  readonly deadline: RequestDeadline;
  readonly hasEnded: boolean;
  reject(error: unknown): void;
}

/*
 *   running ─┬─ COMMIT ────────────────────────────────▶ answered   each member by its outcome
 *            ├─ connection or server lost ─────────────▶ answered   every member: the error
 *            ├─ COMMIT sent, its answer lost ──────────▶ answered   every member: the outcome is unknown
 *            ├─ rolled back: a member ended meanwhile ─▶ retry      the members that are left
 *            ├─ rolled back by the handler ────────────▶ divided    some by an outcome, the others share the next one
 *            └─ rolled back: any other error ──────────▶ failed     every member, one by one
 */
export type BatchEnd<M> =
  | { readonly kind: "answered" }
  /** Nothing was written: these members, fewer than before, share the next transaction. */
  | { readonly kind: "retry"; readonly members: readonly M[] }
  /** Nothing was written: members with an outcome leave, and the others share the next transaction. */
  | { readonly kind: "divided"; readonly outcomes: LeavingBatch["outcomes"] }
  /** Nothing was written: each member needs its own transaction. */
  | { readonly kind: "failed"; readonly members: readonly M[]; readonly failure: unknown };

const answered = { kind: "answered" } as const;

/** Rolls back if a member ended before the COMMIT was sent. */
class MemberEnded extends Error {}

/**
 * Runs `work` in one transaction for several requests, and answers none of them before it has ended. If a client
 * hangs up before the COMMIT is sent, or a deadline passes before the COMMIT is done, the transaction rolls back: an
 * error answer means that nothing happens afterwards either (http-contract.md §8).
 * @param settle called with the result of `work` after the COMMIT, before the members' deadlines are released
 */
export async function runBatch<M extends Member, Result>(
  db: Database,
  members: readonly M[],
  work: (tx: Tx) => Promise<Result>,
  settle: (result: Result) => void,
): Promise<BatchEnd<M>> {
  const deadline = new RequestDeadline();
  const ms = Math.min(...members.map((member) => member.deadline.remainingMs));
  if (ms < Number.POSITIVE_INFINITY) deadline.limit(ms, () => errors.unavailable());
  const endWithLast = () => {
    if (members.every(({ hasEnded }) => hasEnded)) deadline.end(errors.unavailable(), false);
  };
  const removeListeners = members.map((member) => member.deadline.onEnd(endWithLast));
  const release = members.map((member) => member.deadline.hold());
  try {
    let result: Result;
    try {
      result = await db.within(deadline).transaction(
        async (tx) => {
          const done = await work(tx);
          if (members.some(({ hasEnded }) => hasEnded)) throw new MemberEnded();
          return done;
        },
        { reusesPlans: true },
      );
    } catch (error) {
      if (deadline.uncertain) return rejectUncertain(members, error);
      if (deadline.reason || error instanceof MemberEnded)
        return { kind: "retry", members: rejectEnded(members) };
      if (error instanceof LeavingBatch) return { kind: "divided", outcomes: error.outcomes };
      return isTransient(error)
        ? rejectAll(members, error)
        : { kind: "failed", members, failure: error };
    }
    settle(result);
    return answered;
  } finally {
    deadline.unlimit();
    for (const undo of [...removeListeners, ...release]) undo();
  }
}

/** Rejects all members: whether the transaction committed is unknown. */
function rejectUncertain<M extends Member>(members: readonly M[], error: unknown): BatchEnd<M> {
  for (const { deadline } of members) deadline.uncertain = true;
  // The deadline of this transaction is not that of a member with more time.
  const unknown =
    error instanceof ApiError
      ? errors.unavailable(
          "The server could not answer in time, and cannot tell whether the request was carried out",
        )
      : error;
  return rejectAll(members, unknown);
}

function rejectAll<M extends Member>(members: readonly M[], error: unknown): BatchEnd<M> {
  for (const member of members) member.reject(member.deadline.reason ?? error);
  return answered;
}

/**
 * Rejects members that have ended, and returns the others. A member with at most a millisecond left is ended here: its
 * own timer is about to fire.
 */
function rejectEnded<M extends Member>(members: readonly M[]): readonly M[] {
  for (const { deadline } of members)
    if (deadline.remainingMs <= 1) deadline.end(errors.unavailable(), true);
  for (const member of members) if (member.hasEnded) member.reject(member.deadline.reason);
  return members.filter(({ hasEnded }) => !hasEnded);
}
