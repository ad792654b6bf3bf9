import { setTimeout as pause } from "node:timers/promises";
import { errors } from "@carillon/contract";
import type { RequestDeadline } from "@carillon/db";

/** Milliseconds for a handler to answer after a commit at the last moment. */
const answerMs = 1_000;

/**
 * Returns the result of `work`. When the deadline ends first, the running statement is cancelled and rolled back before
 * this throws. If a commit was in progress, its outcome decides the answer. Work outside of the database continues
 * unobserved; it cannot change anything.
 * @throws ApiError the deadline's reason; the text says if a part was carried out, or the outcome is unknown
 */
export async function withinDeadline<T>(deadline: RequestDeadline, work: Promise<T>): Promise<T> {
  const { commits } = deadline;
  const first = await firstOf(deadline, work);
  if (first) return first.value;
  await deadline.settled();
  if (deadline.uncertain)
    throw errors.unavailable(
      "The server could not answer in time, and cannot tell whether the request was carried out",
    );
  if (deadline.commits === commits) throw deadline.reason ?? errors.unavailable();
  const late = await Promise.race([
    work.then((value) => ({ value })).catch(() => {}),
    pause(answerMs),
  ]);
  if (late) return late.value;
  throw errors.unavailable("The server could not answer in time, though it carried out a part");
}

/** Resolves with the result of the work, or with undefined when the deadline ends first. */
function firstOf<T>(
  deadline: RequestDeadline,
  work: Promise<T>,
): Promise<{ value: T } | undefined> {
  return new Promise((resolve, reject) => {
    const unsubscribe = deadline.onEnd(() => {
      unsubscribe();
      resolve(undefined);
    });
    if (deadline.reason) resolve(undefined);
    work.then(
      (value) => {
        unsubscribe();
        resolve({ value });
      },
      (error: unknown) => {
        unsubscribe();
        if (error !== deadline.reason) reject(error);
      },
    );
  });
}
