import { setTimeout as pause } from "node:timers/promises";
import { errors } from "@carillon/contract";
import type { Lifetime } from "@carillon/db";

/** Milliseconds for a handler to answer after a commit at the last moment. */
const answerMs = 1_000;

/**
 * Returns the result of `work`. When the lifetime ends first, the running statement is cancelled and rolled back before
 * this throws. If a commit was in progress, its outcome decides the answer. Work outside of the database continues
 * unobserved; it cannot change anything.
 * @throws ApiError the lifetime's reason; the text says where a part was carried out, or the outcome is unknown
 */
export async function withinLifetime<T>(lifetime: Lifetime, work: Promise<T>): Promise<T> {
  const { commits } = lifetime;
  const first = await firstOf(lifetime, work);
  if (first) return first.value;
  await lifetime.settled();
  if (lifetime.uncertain)
    throw errors.unavailable(
      "The server could not answer in time, and cannot tell whether the request was carried out",
    );
  if (lifetime.commits === commits) throw lifetime.reason ?? errors.unavailable();
  const late = await Promise.race([
    work.then((value) => ({ value })).catch(() => {}),
    pause(answerMs),
  ]);
  if (late) return late.value;
  throw errors.unavailable("The server could not answer in time, though it carried out a part");
}

/** Resolves with the result of the work, or with undefined when the lifetime ends first. */
function firstOf<T>(lifetime: Lifetime, work: Promise<T>): Promise<{ value: T } | undefined> {
  return new Promise((resolve, reject) => {
    const forget = lifetime.onEnd(() => {
      forget();
      resolve(undefined);
    });
    if (lifetime.reason) resolve(undefined);
    work.then(
      (value) => {
        forget();
        resolve({ value });
      },
      (error: unknown) => {
        forget();
        if (error !== lifetime.reason) reject(error);
      },
    );
  });
}
