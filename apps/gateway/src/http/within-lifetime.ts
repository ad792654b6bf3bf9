import { setTimeout as pause } from "node:timers/promises";
import { errors } from "@carillon/contract";
import type { Lifetime } from "@carillon/db";

/** Milliseconds for a handler to make its answer out of what has been committed at the last moment. */
const answerMs = 1_000;

/**
 * What `work` comes to. When the lifetime ends first, nothing of it happens any more once this has thrown: the
 * statement in progress has been cancelled and rolled back. What was being committed at that moment is answered as it
 * came out. Work that does not ask the database is left to itself; it can change nothing.
 * @throws ApiError the lifetime's reason; it says so where something had been done before, or nobody can tell
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

/** What the work comes to, or nothing when the lifetime ends first. */
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
