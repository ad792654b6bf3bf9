import { ApiError, errors, type EventSubscription } from "@carillon/contract";
import { type RowOf, statement, typed, type Sql, type Tx } from "@carillon/db";
import { eventId, type NarrowTerm } from "@carillon/events";
import { eventsJob } from "@carillon/jobs";
import { randomKey } from "@carillon/kit";
import { type Account, currentActor, loadAccounts, lockAccount } from "@carillon/model";
import { addJobsAfterCommit } from "@carillon/outbox";

import { checkAdministersBot } from "../bots/bots.ts";

/*
 * The states of a subscription, a row of `event_subscription`:
 *
 *   active ──── a delivery fails ────▶ failing
 *   failing ─── a delivery succeeds ─▶ active
 *   any ─────── its owner pauses it ─▶ paused
 *   any ─────── status 410, days of failures, a deactivated bot, an operator ──▶ disabled
 *   any ─────── its owner or an operator resumes it ──▶ active
 *
 * The cursor of a subscription is the number of an event in the log. A batch in progress has the events after the cursor up
 * to `batch_to`. The row has these limits before the first attempt, so that every attempt sends the same events under the
 * same `webhook-id`. Until `calling_until`, one worker has claimed the subscription; then another one may.
 */

/** Which events a subscription wants. */
export interface EventFilters {
  readonly eventTypes: readonly string[];
  readonly narrow: readonly NarrowTerm[];
  readonly allPublicChannels: boolean;
}

/** Filters from before a change. They apply to events up to number `until`. */
export type EarlierFilters = EventFilters & { readonly until: number };

const seconds = (column: string) => `floor(extract(epoch FROM ${column}))::float8`;

const columns = `s.id, s.realm_id AS "realmId", s.bot_id AS "botId", s.url, s.description, s.event_types AS "eventTypes",
      s.narrow, s.all_public_channels AS "allPublicChannels", s.state, s.state_reason AS "stateReason", s.cursor,
      ${seconds("s.failing_since")} AS "failingSince",
      ${seconds("CASE WHEN s.state = 'failing' THEN s.next_at END")} AS "nextAt",
      1 + coalesce(s.old_secret_until > now(), false)::int AS secrets, s.calls, ${seconds("s.created_at")} AS "createdAt"`;

const overrides = {
  eventTypes: typed<string[]>().notNull,
  narrow: typed<NarrowTerm[]>(),
  state: typed<EventSubscription["state"]>(),
};

const byId = statement({
  name: "event-subscription",
  text: `SELECT ${columns} FROM event_subscription s WHERE s.realm_id = $1 AND s.id = $2`,
  overrides,
});

/** A subscription, for the API. Times are UNIX seconds. */
export type SubscriptionRow = RowOf<typeof byId>;

const lockById = statement({
  name: "event-subscription-for-change",
  text: `SELECT ${columns} FROM event_subscription s WHERE s.realm_id = $1 AND s.id = $2 FOR NO KEY UPDATE`,
  overrides,
});

const ofBot = statement({
  name: "event-subscriptions-of-bot",
  text: `SELECT ${columns} FROM event_subscription s WHERE s.bot_id = $1 ORDER BY s.id`,
  overrides,
});

/** Reads the subscriptions of a bot, by id. */
export function subscriptionsOf(sql: Sql, bot: Account): Promise<SubscriptionRow[]> {
  return sql.rows(ofBot, [bot.id]);
}

/** Returns the subscription as answers show it. */
export function presentSubscription(row: SubscriptionRow): EventSubscription {
  return {
    id: row.id,
    bot_id: row.botId,
    url: row.url,
    event_types: row.eventTypes,
    narrow: row.narrow.map(([operator, operand]) => [operator, operand]),
    all_public_streams: row.allPublicChannels,
    description: row.description,
    state: row.state,
    state_reason: row.stateReason,
    cursor: eventId(row.cursor),
    failing_since: row.failingSince,
    next_attempt_at: row.nextAt,
    signing_secrets: row.secrets,
    date_created: row.createdAt,
  };
}

/** Adds a job that sends the events of the subscription after the commit, even if another job waits for a later time. */
export function serveAfterCommit(
  tx: Tx,
  { id, calls }: Pick<SubscriptionRow, "id" | "calls">,
): void {
  addJobsAfterCommit(tx, [eventsJob({ subscriptionId: id, calls }, `changed-${randomKey(12)}`)]);
}

/** Types of bots that may have subscriptions: generic bots and outgoing webhooks. */
const types: readonly (number | null)[] = [1, 3];

/**
 * Returns the id of the named bot, or of the caller if it is a bot and names none.
 * @throws ApiError `REQUEST_VARIABLE_MISSING`
 */
export function meantBot(actor: Account, botId: number | undefined): number {
  if (botId !== undefined) return botId;
  if (!actor.isBot) throw errors.requestVariableMissing("bot_id");
  return actor.id;
}

/**
 * Checks that the actor may manage subscriptions of this bot: the bot itself, or a person who administers it.
 * @throws ApiError `BAD_REQUEST`, also if there is no such bot
 */
export function checkSubscriber(actor: Account, bot: Account | undefined): asserts bot is Account {
  if (!mayManage(actor, bot))
    throw errors.badRequest("bot_id must be the ID of a bot that you administer");
  if (!types.includes(bot.botType))
    throw errors.badRequest("Only generic bots and outgoing webhooks have event subscriptions");
}

function mayManage(actor: Account, bot: Account | undefined): bot is Account {
  if (actor.isBot) return bot?.id === actor.id;
  try {
    checkAdministersBot(actor, bot);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

function noSuch() {
  return errors.badRequest("There is no such event subscription");
}

/**
 * Reads a subscription for its bot, or for a person who administers the bot.
 * @throws ApiError `BAD_REQUEST`
 */
export async function readSubscription(
  sql: Sql,
  actor: Account,
  id: number,
): Promise<SubscriptionRow> {
  const [row] = await sql.rows(byId, [actor.realmId, id]);
  if (!row) throw noSuch();
  const bot = (await loadAccounts(sql, actor.realmId, [row.botId])).get(row.botId);
  if (!mayManage(actor, bot)) throw noSuch();
  return row;
}

/**
 * Locks the bot and then the subscription, for the bot or for a person who administers it.
 * @throws ApiError `BAD_REQUEST`
 */
export async function lockSubscription(
  tx: Tx,
  actor: Account,
  id: number,
): Promise<{ readonly row: SubscriptionRow; readonly bot: Account }> {
  const [found] = await tx.rows(byId, [actor.realmId, id]);
  if (!found) throw noSuch();
  const [bot, now] = await Promise.all([
    lockAccount(tx, actor.realmId, found.botId),
    currentActor(tx, actor),
  ]);
  if (!mayManage(now, bot)) throw noSuch();
  const lock = { name: "eventSubscriptions", keys: [id] } as const;
  const [row] = await tx.lock(lock, lockById, [actor.realmId, id]);
  if (!row) throw noSuch();
  return { row, bot };
}
