import type { Operation } from "@carillon/contract";
import type { RequestDeadline } from "@carillon/db";
import { KeyedSemaphore } from "@carillon/kit";

/** Rendering a text of more characters blocks the event loop for milliseconds. */
const long = 1_000;

const permits = new KeyedSemaphore<number>(1);

/**
 * Runs an account's requests that render long texts one at a time, so that other requests run in between: ten long
 * texts at once would block them all.
 * @param input the decoded parameters
 * @throws the deadline's reason when that ends first
 */
export async function limitRendering<Result>(
  {
    operation,
    input,
  }: { readonly operation: Operation; readonly input: Readonly<Record<string, unknown>> },
  accountId: number,
  deadline: RequestDeadline,
  run: () => Promise<Result>,
): Promise<Result> {
  const text = operation.renders === undefined ? undefined : input[operation.renders];
  if (typeof text !== "string" || text.length <= long) return run();
  return permits.of(accountId).run(run, deadline);
}
