import {
  createEventSubscription,
  type EventSubscription,
  getEventSubscription,
} from "@carillon/contract";
import type { Database } from "@carillon/db";
import { sendEvents } from "@carillon/jobs";

import type { EndpointCall } from "../endpoint.ts";
import type { TestAccount } from "../factories/account.ts";
import { runJob, type JobRun, type RunJobOptions } from "../jobs.ts";
import type { Scene } from "../scene.ts";
import type { ReceivedEvent } from "./watching.ts";

/** A subscription that a test has created. */
export interface TestSubscription {
  readonly id: number;
  readonly secret: string;
  /** Reads its state. */
  readonly read: () => Promise<EventSubscription>;
}

/** Creates an event subscription of the bot by the API; to its messages unless given otherwise. */
export async function eventSubscription(
  scene: Pick<Scene, "as">,
  bot: TestAccount,
  url: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<TestSubscription> {
  const client = scene.as(bot);
  const { subscription, signing_secret: secret } = await client.succeed(createEventSubscription, {
    params: { url, event_types: ["message"], ...params },
  });
  const { id } = subscription;
  const path = { subscription_id: id };
  return {
    id,
    secret,
    read: async () => (await client.succeed(getEventSubscription, { path })).subscription,
  };
}

/** Runs the job of a subscription once, whether or not it may be called now. */
export async function serveEvents(
  db: Database,
  { id }: { readonly id: number },
  options?: RunJobOptions,
): Promise<JobRun> {
  const [row] = await db.rows<{ calls: number }>(
    "SELECT calls FROM event_subscription WHERE id = $1",
    [id],
  );
  return runJob(db, sendEvents, { subscriptionId: id, calls: row?.calls ?? 0 }, options);
}

/** Lets time pass for a subscription: its next attempt may be made now. */
export async function letSubscriptionWait(
  db: Database,
  { id }: { readonly id: number },
): Promise<void> {
  await db.rows("UPDATE event_subscription SET next_at = now() WHERE id = $1", [id]);
}

/** What a batch of events holds. */
export interface SentEvents {
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly subscription_id: number;
    readonly bot_id: number;
    readonly realm_url: string;
    readonly gap?: boolean;
    readonly events: readonly ReceivedEvent[];
  };
}

/** Returns the texts of the messages in a batch of events. */
export function sentTexts(call: Pick<EndpointCall, "body">): string[] {
  return sentEvents(call).data.events.map(
    ({ message }) => (message as { content: string }).content,
  );
}

/** Parses a call of a subscription's endpoint. */
export function sentEvents({ body }: Pick<EndpointCall, "body">): SentEvents {
  return JSON.parse(body) as SentEvents;
}
