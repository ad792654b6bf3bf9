import type { Sql } from "@carillon/db";
import { isPictureOverdue } from "@carillon/domain";

/** Milliseconds that a thumbnail may take before a waiting request interrupts it. Most pictures take less. */
const undisturbedMs = 3_000;

/** Milliseconds between two reads of the database. */
const pollMs = 1_000;

/** The work was interrupted, because a request waits for pictures. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/**
 * Runs work that takes long only for unusual pictures. Once it has run for 3 s, it is interrupted when a request waits for
 * pictures: a worker decodes one picture at a time, and a request waits for at most 20 s (files.md §6).
 * @param work must end when its signal is aborted
 * @throws Interrupted; the error of the work
 */
export async function yieldToRequests<T>(
  sql: Sql,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interruption = new AbortController();
  let hasEnded = false;
  const poll = async () => {
    // After a failure the next read decides.
    const isOverdue = await isPictureOverdue(sql).catch(() => false);
    if (hasEnded) return;
    if (isOverdue) interruption.abort(new Interrupted("a request waits for pictures"));
    else timer = setTimeout(() => void poll(), pollMs);
  };
  let timer = setTimeout(() => void poll(), undisturbedMs);
  try {
    return await work(AbortSignal.any([signal, interruption.signal]));
  } finally {
    hasEnded = true;
    clearTimeout(timer);
  }
}
