import {
  allEvents,
  errors,
  type EventSubscription,
  isGuest,
  maxSubscriptions,
} from "@carillon/contract";
import { lockKey, statement, typed, type Sql, type Tx } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";
import {
  type Account,
  currentActor,
  loadAccounts,
  lockAccount,
  recordAudit,
  type Site,
} from "@carillon/model";
import { addressRules, checkUrl, newSigningSecret } from "@carillon/outgoing";

import { checkNarrow } from "../event-formats/narrow.ts";
import {
  checkSubscriber,
  type EarlierFilters,
  type EventFilters,
  lockSubscription,
  meantBot,
  presentSubscription,
  readSubscription,
  serveAfterCommit,
  type SubscriptionRow,
  subscriptionsOf,
} from "./subscription-row.ts";

/** Maximum characters of a description. */
const maxDescription = 200;

/** Maximum sets of earlier filters that are kept until the events from before the change have been delivered. */
const maxEarlierFilters = 20;

/** Types that no subscription delivers, because they are useless when they arrive late. */
const momentary = new Set(["heartbeat", "presence", "typing", "typing_edit_message"]);

const deliverable = new Set(allEvents.filter(({ internal }) => !internal).map(({ type }) => type));

/** Filters as requested; undefined for no change. */
interface WantedFilters {
  readonly eventTypes: readonly string[] | undefined;
  readonly narrow: readonly unknown[] | undefined;
  readonly allPublicChannels: boolean | undefined;
}

/** A new subscription as requested. */
export interface NewSubscription {
  readonly botId: number | undefined;
  readonly url: string;
  readonly description: string;
  readonly eventTypes: readonly string[];
  readonly narrow: readonly unknown[];
  readonly allPublicChannels: boolean;
}

/** Returns a subscription's URL, trimmed, with its origin, or throws ApiError `BAD_REQUEST` (bot-platform.md §4.1). */
function checkDestination(
  { callable = addressRules() }: Site,
  text: string,
): { readonly url: string; readonly origin: string } {
  const url = text.trim();
  const checked = checkUrl(url, callable, { encrypted: true });
  if ("problem" in checked) throw errors.badRequest(`url ${checked.problem}`);
  return { url, origin: checked.url.origin };
}

/** Returns the description, or throws ApiError `BAD_REQUEST` if it is too long. */
function checkDescription(text: string): string {
  if (isLongerThan(text, maxDescription))
    throw errors.badRequest(`description must not have more than ${maxDescription} characters`);
  return text;
}

/**
 * Checks filters. Returns the current value of each that is not given.
 * @throws ApiError `BAD_REQUEST`
 */
function checkFilters(bot: Account, wanted: WantedFilters, now: EventFilters): EventFilters {
  const { eventTypes = now.eventTypes, narrow, allPublicChannels = now.allPublicChannels } = wanted;
  for (const type of eventTypes)
    if (!deliverable.has(type) || momentary.has(type))
      throw errors.badRequest(`event_types must not have ${JSON.stringify(type)}`);
  if (wanted.allPublicChannels && isGuest(bot))
    throw errors.badRequest("Guests cannot ask for all_public_streams");
  return {
    eventTypes: [...new Set(eventTypes)],
    narrow: narrow ? checkNarrow(narrow) : now.narrow,
    allPublicChannels,
  };
}

const count = statement({
  name: "event-subscriptions-count",
  text: `SELECT count(*)::int AS "ofOrganization", count(*) FILTER (WHERE bot_id = $2)::int AS "ofBot"
    FROM event_subscription WHERE realm_id = $1`,
});

const insert = statement({
  name: "event-subscription-insert",
  text: `INSERT INTO event_subscription (realm_id, bot_id, url, origin, description, event_types, narrow,
      all_public_channels, secret_sealed, pinged_at, cursor)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, '{}', coalesce((SELECT seq FROM event_head WHERE realm_id = $1), 0))
    RETURNING id`,
});

/**
 * Creates a subscription whose first event is the next one of the log (bot-platform.md §3).
 * @throws ApiError `BAD_REQUEST`, `REQUEST_VARIABLE_MISSING`
 */
export async function createSubscription(
  tx: Tx,
  site: Site,
  actor: Account,
  wanted: NewSubscription,
): Promise<{ readonly subscription: EventSubscription; readonly signing_secret: string }> {
  const botId = meantBot(actor, wanted.botId);
  const { url, origin } = checkDestination(site, wanted.url);
  const description = checkDescription(wanted.description);
  const [bot, now] = await Promise.all([
    lockAccount(tx, actor.realmId, botId),
    currentActor(tx, actor),
  ]);
  checkSubscriber(now, bot);
  if (!bot.isActive) throw errors.badRequest("The bot is deactivated");
  const filters = checkFilters(bot, wanted, {
    eventTypes: [],
    narrow: [],
    allPublicChannels: false,
  });
  await checkBounds(tx, bot);
  const secret = newSigningSecret();
  const created = await tx.first(insert, [
    bot.realmId,
    bot.id,
    url,
    origin,
    description,
    filters.eventTypes,
    JSON.stringify(filters.narrow),
    filters.allPublicChannels,
    site.secrets.seal(secret),
  ]);
  if (!created) throw new Error("the subscription was not inserted");
  const subscription = presentSubscription(await readSubscription(tx, now, created.id));
  audit(tx, actor, "event_subscription_created", subscription);
  return { subscription, signing_secret: secret };
}

async function checkBounds(tx: Tx, { realmId, id }: Account): Promise<void> {
  await lockKey(tx, "newSubscriptions", realmId);
  const counted = await tx.first(count, [realmId, id]);
  const { ofBot, ofOrganization } = maxSubscriptions;
  if (counted && counted.ofBot >= ofBot)
    throw errors.badRequest(`A bot has at most ${ofBot} event subscriptions`);
  if (counted && counted.ofOrganization >= ofOrganization)
    throw errors.badRequest(`An organization has at most ${ofOrganization} event subscriptions`);
}

function audit(
  tx: Tx,
  actor: Account,
  type: string,
  { id, bot_id: userId }: Pick<EventSubscription, "id" | "bot_id">,
  data: object = {},
): void {
  recordAudit(tx, actor.realmId, actor.id, [
    { type, userId, data: { subscription_id: id, ...data } },
  ]);
}

/**
 * Lists the subscriptions of a bot.
 * @throws ApiError `BAD_REQUEST`, `REQUEST_VARIABLE_MISSING`
 */
export async function listSubscriptionsOfBot(
  sql: Sql,
  actor: Account,
  botId: number | undefined,
): Promise<EventSubscription[]> {
  const meant = meantBot(actor, botId);
  const bot = (await loadAccounts(sql, actor.realmId, [meant])).get(meant);
  checkSubscriber(actor, bot);
  return (await subscriptionsOf(sql, bot)).map(presentSubscription);
}

/** Shows one subscription. @throws ApiError `BAD_REQUEST` */
export async function showSubscription(
  sql: Sql,
  actor: Account,
  id: number,
): Promise<EventSubscription> {
  return presentSubscription(await readSubscription(sql, actor, id));
}

/** Changes of a subscription; undefined for no change. */
export interface SubscriptionChanges extends WantedFilters {
  readonly url: string | undefined;
  readonly description: string | undefined;
  readonly paused: boolean | undefined;
}

const update = statement({
  name: "event-subscription-update",
  text: `UPDATE event_subscription SET url = coalesce($2, url), origin = coalesce($3, origin),
      description = coalesce($4, description) WHERE id = $1`,
});

/**
 * Changes a subscription. New filters apply to events from then on.
 * @throws ApiError `BAD_REQUEST`
 */
export async function updateSubscription(
  tx: Tx,
  site: Site,
  actor: Account,
  id: number,
  changes: SubscriptionChanges,
): Promise<EventSubscription> {
  const to = changes.url === undefined ? undefined : checkDestination(site, changes.url);
  const description =
    changes.description === undefined ? undefined : checkDescription(changes.description);
  const { row, bot } = await lockSubscription(tx, actor, id);
  const filters = checkFilters(bot, changes, row);
  if (changes.paused === false && !bot.isActive) throw errors.badRequest("The bot is deactivated");
  await tx.rows(update, [id, to?.url ?? null, to?.origin ?? null, description ?? null]);
  await changeFilters(tx, row, filters);
  if (changes.paused !== undefined) await setPaused(tx, row, changes.paused);
  const changed = presentSubscription(await readSubscription(tx, actor, id));
  const names = Object.entries(changes).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  if (names.length > 0) audit(tx, actor, "event_subscription_changed", changed, { names });
  return changed;
}

const filtersOf = ({ eventTypes, narrow, allPublicChannels }: EventFilters): EventFilters => ({
  eventTypes,
  narrow,
  allPublicChannels,
});

const earlier = statement({
  name: "event-subscription-earlier-filters",
  text: `SELECT s.earlier_filters AS earlier, s.cursor, coalesce(h.seq, 0) AS head
    FROM event_subscription s LEFT JOIN event_head h ON h.realm_id = s.realm_id WHERE s.id = $1`,
  overrides: { earlier: typed<EarlierFilters[]>() },
});

const storeFilters = statement({
  name: "event-subscription-filters",
  text: `UPDATE event_subscription SET event_types = $2, narrow = $3, all_public_channels = $4, earlier_filters = $5
    WHERE id = $1`,
});

/** Stores new filters. Keeps the old ones for events that were logged before and are not delivered yet. */
async function changeFilters(tx: Tx, row: SubscriptionRow, to: EventFilters): Promise<void> {
  const from = filtersOf(row);
  if (JSON.stringify(from) === JSON.stringify(to)) return;
  const found = await tx.first(earlier, [row.id]);
  if (!found) return;
  const kept = found.earlier.filter(({ until }) => until > found.cursor);
  const last = kept.at(-1)?.until ?? found.cursor;
  if (found.head > last) kept.push({ ...from, until: found.head });
  if (kept.length > maxEarlierFilters)
    throw errors.badRequest(
      `The filters have changed ${maxEarlierFilters} times since the last delivered event: start a replay, or wait for a delivery`,
    );
  await tx.rows(storeFilters, [
    row.id,
    to.eventTypes,
    JSON.stringify(to.narrow),
    to.allPublicChannels,
    JSON.stringify(kept),
  ]);
}

const pause = statement({
  name: "event-subscription-pause",
  text: `UPDATE event_subscription SET state = 'paused', state_reason = NULL, failing_since = NULL, next_at = NULL
    WHERE id = $1`,
});

const resume = statement({
  name: "event-subscription-resume",
  text: `UPDATE event_subscription SET state = 'active', state_reason = NULL, failing_since = NULL, next_at = NULL,
      attempts = 0, owner_told_at = NULL
    WHERE id = $1`,
});

async function setPaused(tx: Tx, row: SubscriptionRow, paused: boolean): Promise<void> {
  if (paused) await tx.rows(pause, [row.id]);
  else if (row.state !== "active") {
    await tx.rows(resume, [row.id]);
    serveAfterCommit(tx, row);
  }
}

const remove = statement({
  name: "event-subscription-delete",
  text: "DELETE FROM event_subscription WHERE id = $1",
});

/** Deletes a subscription. A request in progress may still arrive. @throws ApiError `BAD_REQUEST` */
export async function deleteSubscription(tx: Tx, actor: Account, id: number): Promise<void> {
  const { row } = await lockSubscription(tx, actor, id);
  await tx.rows(remove, [id]);
  audit(tx, actor, "event_subscription_deleted", presentSubscription(row));
}

const newSecret = statement({
  name: "event-subscription-secret",
  text: `UPDATE event_subscription SET old_secret_sealed = secret_sealed,
      old_secret_until = now() + make_interval(secs => $3), secret_sealed = $2 WHERE id = $1`,
});

/**
 * Replaces the signing secret. Requests are signed with the old one as well for `expireSeconds`; any older one ends.
 * @returns the new secret
 * @throws ApiError `BAD_REQUEST`
 */
export async function rotateSubscriptionSecret(
  tx: Tx,
  site: Site,
  actor: Account,
  id: number,
  expireSeconds: number,
): Promise<string> {
  const { row } = await lockSubscription(tx, actor, id);
  const secret = newSigningSecret();
  await tx.rows(newSecret, [id, site.secrets.seal(secret), expireSeconds]);
  audit(tx, actor, "event_subscription_secret_rotated", presentSubscription(row));
  return secret;
}
