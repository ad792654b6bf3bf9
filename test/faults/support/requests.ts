import { setTimeout as pause } from "node:timers/promises";
import { clientOf, type TestAccount } from "@carillon/testkit";
import type { Crowd } from "./load.ts";

/** Requests that continue whatever the answers are. */
export interface RequestLoad {
  /** Ids of the scheduled messages, from the answers. */
  readonly acknowledged: readonly number[];
  /** Statuses of refusals, and error codes of broken connections. */
  readonly failures: ReadonlyArray<number | string>;
  /** Requests that were not answered in time. */
  readonly hung: readonly string[];
  stop(): Promise<void>;
}

/** Time limit of a request in milliseconds; the gateway's own limit is shorter. */
const longestMs = 90_000;

/**
 * Schedules messages through the gateway until it is stopped, due in 5 s; each sender waits for its previous request.
 */
export function requestLoad(url: string, people: Crowd): RequestLoad {
  const acknowledged: number[] = [];
  const failures: Array<number | string> = [];
  const hung: string[] = [];
  let stopped = false;
  const send = async (sender: TestAccount): Promise<void> => {
    const body = new URLSearchParams({
      type: "channel",
      to: String(people.channels[0]?.id),
      topic: "load",
      content: "Under load",
      scheduled_delivery_timestamp: String(Math.floor(Date.now() / 1_000) + 5),
    });
    const signal = AbortSignal.timeout(longestMs);
    const answer = await clientOf(url, sender).send("POST", "/api/v1/scheduled_messages", {
      body,
      signal,
    });
    if (answer.status === 200) acknowledged.push(Number(answer.body["scheduled_message_id"]));
    else failures.push(answer.status);
  };
  const work = people.senders.slice(0, 4).map(async (sender) => {
    while (!stopped) {
      await send(sender).catch((error: Error & { cause?: { code?: string } }) => {
        if (error.name === "TimeoutError") hung.push(error.message);
        else failures.push(error.cause?.code ?? error.message);
      });
      await pause(25);
    }
  });
  return {
    acknowledged,
    failures,
    hung,
    async stop() {
      stopped = true;
      await Promise.all(work);
    },
  };
}
