import type { Gateway } from "../gateway.ts";
import type { Blocker } from "../blocker.ts";
import { waitFor } from "../wait-for.ts";

/** Requests that wait for an earlier one. */
export interface QueuedRequests<Answer> {
  /** The responses, in the order of the requests. */
  readonly pending: ReadonlyArray<Promise<Answer>>;
  /** Releases the requests. */
  answers(): Promise<Answer[]>;
}

/**
 * Sends a request and blocks its COMMIT with a lock on the event log. Then sends further requests, which wait in the batch
 * queue until the first one has committed.
 * @throws the error of the first request
 */
export async function behindOne<Answer>(
  { services: { group } }: Gateway,
  blocker: Blocker,
  leading: () => Promise<unknown>,
  others: ReadonlyArray<() => Promise<Answer>>,
): Promise<QueuedRequests<Answer>> {
  await blocker.lock("LOCK TABLE event_head IN EXCLUSIVE MODE");
  const waiting = await blocker.waiting();
  const first = leading();
  await blocker.untilWaiting(waiting + 1, "the first request waits for the log");
  const pending: Array<Promise<Answer>> = [];
  for (const [i, ask] of others.entries()) {
    pending.push(ask());
    await waitFor(() => group.waiting === i + 1, { what: "it is queued" });
  }
  return {
    pending,
    answers: async () => {
      await blocker.release();
      await first;
      return Promise.all(pending);
    },
  };
}
