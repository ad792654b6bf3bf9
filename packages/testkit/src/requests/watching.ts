import type { TestAccount } from "../factories/account.ts";
import type { Gateway } from "../gateway.ts";
import type { Params } from "../gateway-client.ts";

import { succeeded } from "./answers.ts";

/** An event as a client receives it. */
export interface ReceivedEvent {
  readonly id: number;
  readonly type: string;
  readonly op?: string;
  readonly [field: string]: unknown;
}

/** Event queues of some accounts, by any name. */
export type Watched = Readonly<Record<string, { account: TestAccount; params?: Params }>>;

/** Returns the events of each queue during `work`, oldest first, without heartbeats, as `GET /events` sends them. */
export async function watch<Names extends Watched>(
  gateway: Gateway,
  queues: Names,
  work: () => Promise<unknown>,
): Promise<Record<keyof Names, ReceivedEvent[]>> {
  const open = await Promise.all(
    Object.entries(queues).map(async ([name, { account, params }]) => {
      const client = gateway.as(account);
      const answer = await client.post("/api/v1/register", { fetch_event_types: [], ...params });
      const { queue_id, last_event_id } = succeeded(answer);
      return { name, client, queue_id, last_event_id };
    }),
  );
  await work();
  const received = open.map(async ({ name, client, queue_id, last_event_id }) => {
    const poll = { queue_id, last_event_id, dont_block: true };
    const { events } = succeeded(await client.get("/api/v1/events", poll));
    return [name, (events as ReceivedEvent[]).filter(({ type }) => type !== "heartbeat")] as const;
  });
  return Object.fromEntries(await Promise.all(received)) as Record<keyof Names, ReceivedEvent[]>;
}

/** Event types with their `op`, in order. */
export function kindsOf(events: readonly ReceivedEvent[]): string[] {
  return events.map(({ type, op }) => (op === undefined ? type : `${type}/${op}`));
}
