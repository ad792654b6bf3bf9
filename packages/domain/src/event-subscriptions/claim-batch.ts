import { type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import type { SendEvents } from "@carillon/jobs";

import { type Endpoint, releaseSlot, type Slot, takeSlot } from "../outgoing-calls/slots.ts";

/** A subscription that this worker has claimed. */
export interface ClaimedSubscription extends Endpoint, Slot {
  readonly subscriptionId: number;
  readonly botId: number;
  /** Incremented by every replay. */
  readonly generation: number;
  /** 1 for the first call. */
  readonly call: number;
}

/** SQL: whether the subscription `s` may be called now. Allows a second, because delayed jobs may run slightly early. */
const callable = `s.state IN ('active', 'failing') AND coalesce(s.calling_until <= clock_timestamp(), true)
      AND coalesce(s.next_at <= clock_timestamp() + interval '1 second', true)`;

const look = statement({
  name: "event-subscription-look",
  text: `SELECT s.realm_id AS "realmId", s.origin FROM event_subscription s JOIN realms r ON r.id = s.realm_id
    WHERE s.id = $1 AND ${callable} AND NOT r.deactivated`,
});

const begin = statement({
  name: "event-subscription-begin",
  text: `UPDATE event_subscription s SET calls = calls + 1, next_at = NULL,
      calling_until = clock_timestamp() + make_interval(secs => $2 / 1000.0)
    WHERE s.id = $1 AND s.origin = $3 AND ${callable}
    RETURNING s.id, s.bot_id AS "botId", s.generation, s.calls AS call`,
});

/**
 * Claims a subscription, unless it may not be called now, too many calls are in progress or the endpoint's circuit is open.
 * @param forMs milliseconds for which the claim holds, more than the call can take
 */
export async function claimSubscription(
  tx: Tx,
  { subscriptionId }: Pick<SendEvents, "subscriptionId">,
  forMs: number,
): Promise<ClaimedSubscription | undefined> {
  const endpoint = await tx.first(look, [subscriptionId]);
  if (!endpoint) return undefined;
  const slot = await takeSlot(tx, endpoint, forMs);
  if (!slot) return undefined;
  const lock = { name: "eventSubscriptions", keys: [subscriptionId] } as const;
  const [begun] = await tx.lock(lock, begin, [subscriptionId, forMs, endpoint.origin]);
  if (!begun) {
    // Another worker, or a change of the subscription, came first.
    await releaseSlot(tx, slot.slotId);
    return undefined;
  }
  const { botId, generation, call } = begun;
  return { ...endpoint, ...slot, subscriptionId, botId, generation, call };
}

const place = statement({
  name: "event-subscription-place",
  text: `SELECT s.cursor, s.batch_to AS "batchTo", s.batch_webhook_id AS "webhookId", s.gap
    FROM event_subscription s
    WHERE s.id = $1 AND s.calls = $2 AND s.generation = $3 AND s.state IN ('active', 'failing')`,
});

/** The cursor of a claimed subscription. `batchTo` and `webhookId` belong to the batch in progress; null without one. */
export type SubscriptionPlace = RowOf<typeof place>;

/** Reads the cursor and the batch in progress; undefined if the claim is no longer valid. */
export async function readPlace(
  sql: Sql,
  { subscriptionId, call, generation }: ClaimedSubscription,
): Promise<SubscriptionPlace | undefined> {
  return (await sql.rows(place, [subscriptionId, call, generation]))[0];
}

const giveBack = statement({
  name: "event-subscription-return",
  text: `WITH released AS (DELETE FROM outgoing_slot WHERE id = $3)
    UPDATE event_subscription SET calling_until = NULL WHERE id = $1 AND calls = $2`,
});

/** Ends a claim without a call, so that the subscription can be served again at once. */
export async function returnSubscription(
  sql: Sql,
  { subscriptionId, call, slotId }: ClaimedSubscription,
): Promise<void> {
  await sql.rows(giveBack, [subscriptionId, call, slotId]);
}

/** SQL: the URL and the secrets of the subscription `s` of the organization `r`. */
export const destinationColumns = `s.bot_id AS "botId", s.url, s.origin, s.gap, s.secret_sealed AS "secretSealed",
      CASE WHEN s.old_secret_until > now() THEN s.old_secret_sealed END AS "oldSecretSealed", r.subdomain,
      floor(extract(epoch FROM clock_timestamp()))::int AS now`;

const destination = statement({
  name: "event-subscription-destination",
  text: `SELECT ${destinationColumns}
    FROM event_subscription s JOIN realms r ON r.id = s.realm_id WHERE s.id = $1`,
});

/** The URL and the secrets of a subscription. `subdomain`: of its organization; `now`: UNIX seconds. */
export type SubscriptionDestination = RowOf<typeof destination>;

/** Reads the URL and the secrets of a subscription; undefined if it was deleted. */
export async function readDestination(
  sql: Sql,
  subscriptionId: number,
): Promise<SubscriptionDestination | undefined> {
  return (await sql.rows(destination, [subscriptionId]))[0];
}
