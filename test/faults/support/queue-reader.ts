import { setTimeout as pause } from "node:timers/promises";
import { clientOf, waitFor, type TestAccount } from "@carillon/testkit";

/** A client that follows the messages of its queue, on any gateway. */
export interface QueueReader {
  readonly queueId: string;
  /** Ids of the messages received, in order. */
  readonly messages: readonly number[];
  /** Ids of the heartbeats received. */
  readonly heartbeats: readonly number[];
  /** Statuses of refused polls, and error codes of broken connections. */
  readonly failures: ReadonlyArray<number | string>;
  /** Waits until it has received `count` messages. */
  waitForMessages(count: number): Promise<void>;
  /** Waits for the answer of the open poll, and polls no more. Rejects if the poll was refused. */
  finish(): Promise<void>;
  /** Aborts the open poll. */
  stop(): Promise<void>;
}

/** Pause between a failure and the next poll, in milliseconds. */
const pauseMs = 50;

/** Registers a queue for messages at `url`; retries when the server is too busy, which is safe. */
export async function registerReader(
  url: string,
  account: TestAccount,
): Promise<{ queueId: string; lastId: number }> {
  const register = () =>
    clientOf(url, account).post("/api/v1/register", {
      event_types: ["message"],
      fetch_event_types: [],
    });
  let answer = await register();
  for (let again = 0; answer.status === 503 && again < 5; again++) answer = await register();
  const { status, text, body } = answer;
  if (status !== 200) throw new Error(`register answered ${status}: ${text}`);
  return { queueId: String(body["queue_id"]), lastId: Number(body["last_event_id"]) };
}

/**
 * Polls and acknowledges until it is stopped: after a failure it polls again, at the next address.
 * @param address where to poll, by the number of failures so far
 */
export function followQueue(
  account: TestAccount,
  { queueId, lastId }: { queueId: string; lastId: number },
  address: (failures: number) => string,
): QueueReader {
  const messages: number[] = [];
  const heartbeats: number[] = [];
  const failures: Array<number | string> = [];
  const cut = new AbortController();
  let over = false;
  const poll = async (): Promise<void> => {
    const query = new URLSearchParams({ queue_id: queueId, last_event_id: String(lastId) });
    const answer = await clientOf(address(failures.length), account).send(
      "GET",
      `/api/v1/events?${query}`,
      { signal: cut.signal },
    );
    if (answer.status !== 200) {
      failures.push(answer.status);
      // The queue is gone or refused for good.
      if (answer.status < 500) over = true;
      return;
    }
    for (const event of answer.body["events"] as Array<{ id: number; message?: { id: number } }>) {
      if (event.id <= lastId) throw new Error(`event ${event.id} came after ${lastId}`);
      lastId = event.id;
      if (event.message) messages.push(event.message.id);
      else heartbeats.push(event.id);
    }
  };
  const work = (async () => {
    while (!over) {
      const before = failures.length;
      await poll().catch((error: Error & { cause?: { code?: string } }) => {
        if (!cut.signal.aborted && error.name !== "TypeError") throw error;
        failures.push(error.cause?.code ?? error.message);
      });
      if (failures.length > before && !over) await pause(pauseMs);
    }
  })();
  work.catch(() => undefined);
  return {
    queueId,
    messages,
    heartbeats,
    failures,
    async waitForMessages(count) {
      await waitFor(() => messages.length >= count, {
        what: `${account.fullName} is told ${count} messages`,
      }).catch((error: Error) => {
        throw new Error(`${error.message}; told ${messages.length}, ${failures.join()}`);
      });
    },
    async finish() {
      over = true;
      await work;
    },
    async stop() {
      over = true;
      cut.abort();
      await work;
    },
  };
}

/** Reads a gauge from the metrics of a gateway process. */
export async function gaugeOf(port: number, name: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  const line = (await response.text()).split("\n").find((each) => each.startsWith(name));
  return Number(line?.split(" ").at(-1));
}
