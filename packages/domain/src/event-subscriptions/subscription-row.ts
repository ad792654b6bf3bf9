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
 *   active ◀──▶ failing    a delivery has failed; the next success ends it
 *     │ ▲          │
 *     │ └─ paused ◀┤       by its owner, until its owner resumes it
 *     ▼            ▼
 *     disabled             status 410, days of failures, or a deactivated bot; its owner may resume it
 *
 * A subscription stands at its cursor, a number in the log. A batch under way holds the events after the cursor up to
 * `batch_to`: they are in the row before the first attempt, so that every attempt sends the same events under the same
 * `webhook-id`. While `calling_until` is in the future, a worker is calling; a later one may call again.
 */

/** Which events a subscription wants. */
export interface EventFilters {
  readonly eventTypes: readonly string[];
  readonly narrow: readonly NarrowTerm[];
  readonly allPublicChannels: boolean;
}

/** The filters of events up to number `until`, from before a change. */
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

/** Adds a job that serves the subscription after the commit, whether or not a job waits for a later time. */
export function serveAfterCommit(
  tx: Tx,
  { id, calls }: Pick<SubscriptionRow, "id" | "calls">,
): void {
  addJobsAfterCommit(tx, [eventsJob({ subscriptionId: id, calls }, `changed-${randomKey(12)}`)]);
}

/** Types of bots that may have subscriptions: generic bots and outgoing webhooks. */
const types: readonly (number | null)[] = [1, 3];

/**
 * Returns the id of the bot that the caller means: itself, or the one that a person names.
 * @throws ApiError `REQUEST_VARIABLE_MISSING`
 */
export function meantBot(actor: Account, botId: number | undefined): number {
  if (botId !== undefined) return botId;
  if (!actor.isBot) throw errors.requestVariableMissing("bot_id");
  return actor.id;
}

/**
 * Checks that the actor may have subscriptions of this bot: its own, or, for people, of a bot that they administer.
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
 * Reads a subscription for its bot, or for who administers the bot.
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
 * Locks a subscription, after its bot, for the bot or for who administers it.
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
