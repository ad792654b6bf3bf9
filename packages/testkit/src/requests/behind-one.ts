import type { Gateway } from "../gateway.ts";
import type { Obstacle } from "../obstacle.ts";
import { waitFor } from "../wait-for.ts";

/** Requests that wait behind an earlier one. */
export interface Line<Answer> {
  /** The responses, in the order of the requests. */
  readonly pending: ReadonlyArray<Promise<Answer>>;
  /** Releases the requests. */
  answers(): Promise<Answer[]>;
}

/**
 * Sends a request whose COMMIT is held at the event log, and further requests of the same batch queue behind it.
 * @throws the error of the first request
 */
export async function behindOne<Answer>(
  { services: { group } }: Gateway,
  obstacle: Obstacle,
  leading: () => Promise<unknown>,
  others: ReadonlyArray<() => Promise<Answer>>,
): Promise<Line<Answer>> {
  await obstacle.lock("LOCK TABLE event_head IN EXCLUSIVE MODE");
  const waiting = await obstacle.waiting();
  const first = leading();
  await obstacle.untilWaiting(waiting + 1, "the first one waits for the log");
  const pending: Array<Promise<Answer>> = [];
  for (const [i, ask] of others.entries()) {
    pending.push(ask());
    await waitFor(() => group.waiting === i + 1, { what: "it waits in line" });
  }
  return {
    pending,
    answers: async () => {
      await obstacle.release();
      await first;
      return Promise.all(pending);
    },
  };
}
