import { ApiError, errors } from "@carillon/contract";
import { isPassing, Lifetime, type Database, type Tx } from "@carillon/db";

import { isGone } from "./batch.ts";

/** One whose request is written with those of others. */
interface Companion {
  readonly lifetime: Lifetime;
  readonly reject: (error: unknown) => void;
}

/** What is left to do after a transaction for several: nothing has happened, and these go again. */
export interface Left<Member> {
  readonly members: readonly Member[];
  /** Why each of them goes by itself. */
  readonly failure?: unknown;
}

/** Rolls back where somebody is gone. */
class SomebodyLeft extends Error {}

/**
 * Runs `work` in one transaction for several requests, none of which is answered before it has ended. Where somebody
 * hangs up before the COMMIT is sent, or has no time left before it has come true, nothing of it happens and the others
 * go again: an error answer means that nothing happens afterwards either (http-contract.md §8). Who is gone has been
 * told so, and everybody where the database failed them.
 * @param committed called with what the work has come to, before anybody's lifetime is let go
 */
export async function inOneTransaction<Member extends Companion, Result>(
  db: Database,
  members: readonly Member[],
  work: (tx: Tx) => Promise<Result>,
  committed: (result: Result) => void,
): Promise<Left<Member>> {
  const lifetime = new Lifetime();
  const ms = Math.min(...members.map((member) => member.lifetime.remainingMs));
  if (ms < Number.POSITIVE_INFINITY) lifetime.limit(ms, () => errors.unavailable());
  const endWithLast = () => {
    if (members.every(isGone)) lifetime.end(errors.unavailable(), false);
  };
  const forget = members.map((member) => member.lifetime.onEnd(endWithLast));
  const letGo = members.map((member) => member.lifetime.hold());
  try {
    const result = await db.within(lifetime).transaction(async (tx) => {
      const done = await work(tx);
      if (members.some(isGone)) throw new SomebodyLeft();
      return done;
    });
    committed(result);
    return { members: [] };
  } catch (error) {
    if (lifetime.uncertain) return leaveUncertain(members, error);
    if (lifetime.reason || error instanceof SomebodyLeft) return { members: whoStay(members) };
    return isPassing(error) ? tellAll(members, error) : { members, failure: error };
  } finally {
    lifetime.unlimit();
    for (const undo of [...forget, ...letGo]) undo();
  }
}

/** Nobody knows whether it was done. */
function leaveUncertain<Member extends Companion>(
  members: readonly Member[],
  error: unknown,
): Left<Member> {
  for (const { lifetime } of members) lifetime.uncertain = true;
  // The end of this transaction's time says nothing to somebody who has more.
  const unknown =
    error instanceof ApiError
      ? errors.unavailable(
          "The server could not answer in time, and cannot tell whether the request was carried out",
        )
      : error;
  return tellAll(members, unknown);
}

function tellAll<Member extends Companion>(
  members: readonly Member[],
  error: unknown,
): Left<Member> {
  for (const { lifetime, reject } of members) reject(lifetime.reason ?? error);
  return { members: [] };
}

/** Those who have time left; the others' own clocks, which go the same, are about to say so. */
function whoStay<Member extends Companion>(members: readonly Member[]): readonly Member[] {
  for (const { lifetime } of members)
    if (lifetime.remainingMs <= 1) lifetime.end(errors.unavailable(), true);
  for (const member of members) if (isGone(member)) member.reject(member.lifetime.reason);
  return members.filter((member) => !isGone(member));
}
