import {
  type DeadCall,
  deactivateForOperator,
  disableSubscription,
  type EndpointView,
  findNamedAccount,
  findOrganization,
  listDeadCalls,
  listEndpoints,
  listSubscriptionViews,
  resumeSubscription,
  retryDeadCalls,
  type SubscriptionView,
} from "@carillon/domain";
import type { Sql } from "@carillon/db";
import { counted } from "@carillon/kit";
import type { Account } from "@carillon/model";

import type { Context } from "../context.ts";
import { withDatabase } from "../installation.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly organization?: string;
}

/** Name of the operator in the audit log. */
const operator = "carillon webhook";

/** Type of an outgoing webhook bot. */
const outgoingWebhook = 3;

/** Prints one line for each endpoint and each event subscription, or for each call that was given up. */
export async function showWebhooks(
  context: Context,
  options: Options & { readonly dead?: boolean; readonly json?: boolean },
): Promise<void> {
  const { terminal } = context;
  await withDatabase(context, async ({ db }) => {
    const realm =
      options.organization === undefined
        ? undefined
        : await findOrganization(db, options.organization);
    if (options.dead) {
      for await (const call of deadCalls(db))
        if (!realm || call.realmId === realm.id)
          terminal.say(options.json ? JSON.stringify(call) : deadText(call));
      return;
    }
    for await (const endpoint of endpoints(db, realm?.id))
      terminal.say(options.json ? JSON.stringify(endpoint) : endpointText(endpoint));
    for await (const subscription of subscriptions(db, realm?.id))
      terminal.say(options.json ? JSON.stringify(subscription) : subscriptionText(subscription));
  });
}

async function* endpoints(sql: Sql, realmId: number | undefined): AsyncGenerator<EndpointView> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page = await listEndpoints(sql, { after, ...(realmId === undefined ? {} : { realmId }) });
    yield* page.rows;
    after = page.next;
  }
}

async function* subscriptions(
  sql: Sql,
  realmId: number | undefined,
): AsyncGenerator<SubscriptionView> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page = await listSubscriptionViews(sql, {
      after,
      ...(realmId === undefined ? {} : { realmId }),
    });
    yield* page.rows;
    after = page.next;
  }
}

async function* deadCalls(sql: Sql): AsyncGenerator<DeadCall> {
  let before: number | undefined;
  do {
    const page = await listDeadCalls(sql, before === undefined ? {} : { before });
    yield* page.rows;
    before = page.next;
  } while (before !== undefined);
}

function endpointText(endpoint: EndpointView): string {
  const { botId, botName, realmName, origin, waiting, dead, openSeconds, lastAt } = endpoint;
  const state = [
    endpoint.isActive ? (endpoint.failing ? "failing" : "ok") : "deactivated",
    ...(openSeconds !== null && openSeconds > 0
      ? [`left alone for ${Math.ceil(openSeconds)} s`]
      : []),
  ].join(", ");
  const last =
    lastAt === null
      ? "never called"
      : `last call ${new Date(lastAt * 1_000).toISOString()} ${endpoint.lastError ?? `status ${endpoint.lastStatus}`}`;
  return `${botId}  ${botName}  ${realmName}  ${origin}  ${state}  ${waiting} waiting  ${dead} given up  ${last}`;
}

function subscriptionText(subscription: SubscriptionView): string {
  const { id, botName, realmName, origin, state, reason, behind, lastAt } = subscription;
  const last =
    lastAt === null
      ? "never called"
      : `last call ${new Date(lastAt * 1_000).toISOString()} ${subscription.lastError ?? `status ${subscription.lastStatus}`}`;
  const why = reason === null ? "" : ` (${reason})`;
  return `subscription ${id}  ${botName}  ${realmName}  ${origin}  ${state}${why}  ${behind} behind  ${last}`;
}

function deadText({
  id,
  botName,
  realmName,
  messageId,
  attempts,
  reason,
  deadAt,
}: DeadCall): string {
  const at = deadAt === null ? "" : new Date(deadAt * 1_000).toISOString();
  return `${id}  ${at}  ${realmName}  ${botName}  message ${messageId}  ${attempts} attempts  ${reason ?? ""}`;
}

/** Repeats calls that were given up, or resumes an event subscription. */
export async function retryCalls(
  context: Context,
  calls: readonly string[],
  options: Options & { readonly bot?: string; readonly subscription?: string },
): Promise<void> {
  const given = [calls[0], options.bot, options.subscription].filter((one) => one !== undefined);
  if (given.length !== 1) throw new UsageError("give ids of calls, or --bot, or --subscription");
  if (options.subscription !== undefined) return resumeOne(context, options.subscription);
  const ids = calls.map((text) => {
    if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${text} is not the id of a call`);
    return Number(text);
  });
  await withDatabase(context, async ({ db }) => {
    const choice =
      options.bot === undefined
        ? { ids }
        : { botId: (await namedBot(db, options.bot, options)).id };
    const count = await retryDeadCalls(db, choice, operator);
    context.terminal.say(
      count === 0
        ? "Nothing was retried: none of these calls was given up."
        : `${counted(count, "call")} made again within seconds.`,
    );
  });
}

async function resumeOne(context: Context, text: string): Promise<void> {
  const id = subscriptionId(text);
  await withDatabase(context, async ({ db }) => {
    if (!(await resumeSubscription(db, id, operator)))
      throw new UsageError(`there is no event subscription ${id} of an active bot`);
    context.terminal.say(
      `Resumed event subscription ${id}: its next events are sent within seconds.`,
    );
  });
}

/** Parses the id of an event subscription, or throws UsageError. */
function subscriptionId(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`${text} is not the id of an event subscription`);
  return Number(text);
}

/** Deactivates an outgoing webhook bot, or disables an event subscription. */
export async function disableWebhook(
  context: Context,
  named: string | undefined,
  options: Options & { readonly subscription?: string },
): Promise<void> {
  if (options.subscription !== undefined && named === undefined)
    return disableOne(context, options.subscription);
  if (named === undefined || options.subscription !== undefined)
    throw new UsageError("give a bot, or --subscription");
  await withDatabase(context, async ({ db }) => {
    const bot = await namedBot(db, named, options);
    await deactivateForOperator(db, bot);
    context.terminal.say(`Deactivated ${bot.deliveryEmail}: its endpoint gets no more calls.`);
  });
}

async function disableOne(context: Context, text: string): Promise<void> {
  const id = subscriptionId(text);
  await withDatabase(context, async ({ db }) => {
    if (!(await disableSubscription(db, id, operator)))
      throw new UsageError(`there is no event subscription ${id}`);
    context.terminal.say(`Disabled event subscription ${id}: its URL gets no more calls.`);
  });
}

/** Finds an outgoing webhook bot; throws UsageError for an account of another kind. */
async function namedBot(sql: Sql, named: string, { organization }: Options): Promise<Account> {
  const account = await findNamedAccount(sql, await findOrganization(sql, organization), named);
  if (account.botType !== outgoingWebhook)
    throw new UsageError(`${account.deliveryEmail} is not an outgoing webhook bot`);
  return account;
}
