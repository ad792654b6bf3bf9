import type { Gateway } from "../gateway.ts";
import type { Obstacle } from "../obstacle.ts";
import { waitFor } from "../wait-for.ts";

/** Requests that wait for an earlier one. */
export interface Line<Answer> {
  /** Of each, in the order in which they were made. */
  readonly pending: ReadonlyArray<Promise<Answer>>;
  /** Lets them go on. */
  answers(): Promise<Answer[]>;
}

/**
 * Sends a request whose COMMIT is held at the event log, and further requests of the same batch queue behind it.
 * @throws what becomes of the first one
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
