import { setTimeout as pause } from "node:timers/promises";
import { credentials } from "./requests.ts";
import type { BenchChannel, Member } from "./world.ts";

/** The waits and refusals of people who came back. */
export interface Returns {
  /** Milliseconds from a person's first request until the answer with messages. */
  readonly waits: readonly number[];
  /** Requests that were refused with 503. */
  readonly refused: number;
  /** The most requests that a person needed. */
  readonly mostRequests: number;
}

/**
 * Lets people come back at equal intervals. Each reads the newest messages of the channel, and if refused tries again after
 * `Retry-After`.
 * @param ports ports of the gateways, which the people use in rotation
 * @param withinMs milliseconds in which all people begin
 * @throws Error for an answer other than 2xx and 503, and if a person gets another number of messages than asked for
 */
export async function comeBack(
  ports: readonly number[],
  channel: BenchChannel,
  people: readonly Member[],
  withinMs: number,
): Promise<Returns> {
  const waits: number[] = [];
  let refused = 0;
  let mostRequests = 0;
  await Promise.all(
    people.map(async (person, n) => {
      await pause((n / people.length) * withinMs);
      const startedAt = performance.now();
      for (let requests = 1; ; requests++) {
        const response = await readNewest(ports[n % ports.length]!, channel, person);
        const text = await response.text();
        if (response.status === 503) {
          refused++;
          await pause(1_000 * Number(response.headers.get("retry-after")));
          continue;
        }
        if (!response.ok) throw new Error(`refused: ${text}`);
        const { messages } = JSON.parse(text) as { messages: readonly unknown[] };
        if (messages.length !== newest)
          throw new Error(`a person who came back got ${messages.length} messages`);
        waits.push(performance.now() - startedAt);
        mostRequests = Math.max(mostRequests, requests);
        return;
      }
    }),
  );
  return { waits, refused, mostRequests };
}

/** Number of messages that a person reads. */
const newest = 10;

function readNewest(port: number, { id }: BenchChannel, person: Member): Promise<Response> {
  const query = new URLSearchParams({
    anchor: "newest",
    num_before: String(newest),
    num_after: "0",
    narrow: JSON.stringify([{ operator: "channel", operand: id }]),
  });
  return fetch(`http://127.0.0.1:${port}/api/v1/messages?${query}`, {
    headers: { authorization: credentials(person) },
  });
}
