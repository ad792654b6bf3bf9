import { errors, type BotDelivery, type BotWebhook, type LoggedService } from "@carillon/contract";
import { notNull, statement, typed, type Sql, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { isLongerThan, randomKey } from "@carillon/kit";
import {
  type Account,
  botUpdatedEvent,
  currentActor,
  loadAccounts,
  lockAccount,
  recordAudit,
  type Site,
} from "@carillon/model";
import { addressRules, checkUrl, newSigningSecret } from "@carillon/outgoing";

import { botAdministrators, checkAdministersBot } from "./bots.ts";

/** Formats of an endpoint's requests and answers. */
export const interfaces = { generic: 1, slack: 2 } as const;

/** Type of outgoing webhook bots. */
const outgoingWebhook = 3;

const maxNameLength = 100;

const defaultRules = addressRules();

/** An endpoint as requested. */
export interface WantedService {
  readonly name: string;
  readonly url: string;
  readonly format: number;
}

/** A URL that may be called, and its origin. */
interface Destination {
  readonly url: string;
  readonly origin: string;
}

/**
 * Checks the URL of an endpoint, which some clients send as a JSON string.
 * @param parameter the name of the parameter
 * @throws ApiError `BAD_REQUEST`
 */
function checkDestination(site: Site, parameter: string, given: string): Destination {
  const url = unquoted(given.trim());
  const checked = checkUrl(url, site.callable ?? defaultRules);
  if ("problem" in checked) throw errors.badRequest(`${parameter} ${checked.problem}`);
  return { url, origin: checked.url.origin };
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : text;
  } catch {
    return text;
  }
}

/**
 * Checks a requested endpoint.
 * @throws ApiError `BAD_REQUEST`, `REQUEST_VARIABLE_MISSING`
 */
export function checkService(
  site: Site,
  { url, ...wanted }: Omit<WantedService, "url"> & { readonly url: string | undefined },
): WantedService & Destination {
  if (url === undefined || url.trim() === "") throw errors.requestVariableMissing("payload_url");
  if (isLongerThan(wanted.name, maxNameLength))
    throw errors.badRequest(`service_name must not have more than ${maxNameLength} characters`);
  return { ...wanted, ...checkDestination(site, "payload_url", url) };
}

/** Stores the endpoint of a new bot, with a new token and signing secret. */
export async function insertService(
  tx: Tx,
  { secrets }: Site,
  { id, realmId }: Account,
  { name, url, origin, format }: ReturnType<typeof checkService>,
): Promise<LoggedService> {
  const prisma = await tx.prisma();
  const made = await prisma.botService.create({
    data: {
      botId: id,
      realmId,
      name,
      url,
      origin,
      interface: format,
      tokenSealed: secrets.seal(randomKey()),
      secretSealed: secrets.seal(newSigningSecret()),
    },
    select: shownToAdministrators,
  });
  return logged(made);
}

/** The columns that events show to the bot's administrators. */
const shownToAdministrators = { url: true, interface: true, tokenSealed: true } as const;

function logged(service: {
  readonly url: string;
  readonly interface: number;
  readonly tokenSealed: Uint8Array;
}): LoggedService {
  const token_sealed = Buffer.from(service.tokenSealed).toString("hex");
  return { base_url: service.url, interface: service.interface, token_sealed };
}

/** Changes of an endpoint; undefined for no change. */
export interface ServiceChanges {
  readonly url: string | undefined;
  readonly format: number | undefined;
}

/**
 * Changes the endpoint of a locked bot.
 * @returns undefined if there is no change
 * @throws ApiError `BAD_REQUEST`, also for a bot that has no endpoint
 */
export async function changeService(
  tx: Tx,
  site: Site,
  bot: Account,
  { url, format }: ServiceChanges,
): Promise<LoggedService | undefined> {
  if (url === undefined && format === undefined) return undefined;
  if (bot.botType !== outgoingWebhook) throw noWebhook();
  const to = url === undefined ? undefined : checkDestination(site, "service_payload_url", url);
  const prisma = await tx.prisma();
  const [changed] = await prisma.botService.updateManyAndReturn({
    where: { botId: bot.id },
    data: {
      ...(to && { url: to.url, origin: to.origin }),
      ...(format !== undefined && { interface: format }),
    },
    select: shownToAdministrators,
  });
  if (!changed) throw noWebhook();
  return logged(changed);
}

function noWebhook() {
  return errors.badRequest("This bot is not an outgoing webhook");
}

const read = statement({
  name: "bot-service-read",
  text: `SELECT s.url, s.interface AS format, s.token_sealed AS "tokenSealed", s.secret_sealed AS "secretSealed",
      CASE WHEN s.old_secret_until > now() THEN s.old_secret_sealed END AS "oldSecretSealed", s.failing,
      (SELECT count(*) FROM outgoing_call c WHERE c.bot_id = s.bot_id AND c.state = 'waiting')::int AS waiting
    FROM bot_service s WHERE s.bot_id = $1`,
});

const destination = statement({
  name: "bot-service-destination",
  text: "SELECT url AS payload_url, interface AS interface_type FROM bot_service WHERE bot_id = $1",
});

/** Reads the endpoint of a bot; undefined for a bot without one. */
export async function readService(
  sql: Sql,
  { id, botType }: Account,
): Promise<Pick<BotWebhook, "payload_url" | "interface_type"> | undefined> {
  return botType === outgoingWebhook ? (await sql.rows(destination, [id]))[0] : undefined;
}

/** Returns the secrets that sign now, newest first. */
export function liveSecrets(
  { secrets }: Site,
  sealed: { readonly secretSealed: Uint8Array; readonly oldSecretSealed: Uint8Array | null },
): string[] {
  const { secretSealed, oldSecretSealed } = sealed;
  return [secretSealed, ...(oldSecretSealed ? [oldSecretSealed] : [])].map((one) =>
    secrets.open(one),
  );
}

/**
 * Shows the endpoint of a bot, with its secrets, to the bot's owner and administrators (bot-platform.md §2.1).
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function readWebhook(
  sql: Sql,
  site: Site,
  actor: Account,
  botId: number,
): Promise<BotWebhook> {
  await loadWebhookBot(sql, actor, botId);
  return showWebhook(sql, site, botId);
}

async function showWebhook(sql: Sql, site: Site, botId: number): Promise<BotWebhook> {
  const [service] = await sql.rows(read, [botId]);
  if (!service) throw noWebhook();
  return {
    payload_url: service.url,
    interface_type: service.format,
    token: site.secrets.open(service.tokenSealed),
    signing_secrets: liveSecrets(site, service),
    state: service.failing ? "failing" : "ok",
    waiting: service.waiting,
  };
}

async function loadWebhookBot(sql: Sql, actor: Account, botId: number): Promise<void> {
  const bot = (await loadAccounts(sql, actor.realmId, [botId])).get(botId);
  checkWebhookBot(actor, bot);
}

function checkWebhookBot(actor: Account, bot: Account | undefined): asserts bot is Account {
  checkAdministersBot(actor, bot);
  if (bot.botType !== outgoingWebhook) throw noWebhook();
}

const newSecret = statement({
  name: "bot-service-secret",
  text: `UPDATE bot_service SET old_secret_sealed = secret_sealed, old_secret_until = now() + interval '24 hours',
      secret_sealed = $2 WHERE bot_id = $1`,
});

/**
 * Replaces the token of an endpoint, or its signing secret: requests are signed with the old one as well for 24 hours.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function rotateWebhook(
  tx: Tx,
  site: Site,
  actor: Account,
  botId: number,
  which: "token" | "signing_secret",
): Promise<BotWebhook> {
  const [bot, now] = await Promise.all([
    lockAccount(tx, actor.realmId, botId),
    currentActor(tx, actor),
  ]);
  checkWebhookBot(now, bot);
  if (which === "token") {
    const prisma = await tx.prisma();
    const [changed] = await prisma.botService.updateManyAndReturn({
      where: { botId },
      data: { tokenSealed: site.secrets.seal(randomKey()) },
      select: shownToAdministrators,
    });
    if (!changed) throw noWebhook();
    const services = [logged(changed)];
    const audience = await botAdministrators(tx, bot);
    emit(tx, bot.realmId, [botUpdatedEvent(botId, { services }, audience)]);
  } else await tx.rows(newSecret, [botId, site.secrets.seal(newSigningSecret())]);
  recordAudit(tx, bot.realmId, actor.id, [
    { type: "bot_webhook_rotated", userId: botId, data: { which } },
  ]);
  return showWebhook(tx, site, botId);
}

const attempts = statement({
  name: "bot-deliveries",
  text: `SELECT webhook_id, message_id, attempt, floor(extract(epoch FROM attempted_at))::int AS attempted_at, status,
      error, duration_ms, outcome, response_head
    FROM outgoing_attempt WHERE bot_id = $1 AND attempted_at > now() - interval '14 days'
    ORDER BY id DESC LIMIT 100`,
  overrides: { message_id: notNull, outcome: typed<BotDelivery["outcome"]>() },
});

/**
 * Lists the last calls of a bot's endpoint, newest first (bot-platform.md §2.1).
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function listDeliveries(
  sql: Sql,
  actor: Account,
  botId: number,
): Promise<BotDelivery[]> {
  await loadWebhookBot(sql, actor, botId);
  return sql.rows(attempts, [botId]);
}
