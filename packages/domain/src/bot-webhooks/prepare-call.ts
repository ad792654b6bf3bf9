import { statement, type Sql } from "@carillon/db";
import {
  accessMessages,
  type Account,
  hostOf,
  loadAccounts,
  loadRealm,
  presentMessage,
  type Realm,
  type Site,
} from "@carillon/model";
import { signatureHeaders } from "@carillon/outgoing";

import { interfaces, liveSecrets } from "../bots/bot-service.ts";
import { hydrate, loadMessages } from "../messages/read/hydrate.ts";
import { serverVersion } from "../server.ts";
import type { ClaimedCall } from "../outgoing-calls/claim-call.ts";
import type { Verdict } from "./read-answer.ts";

/** A request to an endpoint. */
export interface EndpointRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** 1 generic, 2 Slack */
  readonly format: number;
}

const service = statement({
  name: "outgoing-service",
  text: `SELECT url, interface AS format, token_sealed AS "tokenSealed", secret_sealed AS "secretSealed",
      CASE WHEN old_secret_until > now() THEN old_secret_sealed END AS "oldSecretSealed",
      floor(extract(epoch FROM now()))::int AS now
    FROM bot_service WHERE bot_id = $1`,
});

/**
 * Builds the request of a call from the message as it is now (bot-platform.md §2.2).
 * @param sql a REPEATABLE READ, READ ONLY transaction
 * @returns what follows without a call: `ended` if the message is gone or the bot cannot read it
 */
export async function prepareCall(
  sql: Sql,
  site: Site,
  call: ClaimedCall,
): Promise<EndpointRequest | Verdict | "ended"> {
  const [realm, accounts, [found]] = await Promise.all([
    loadRealm(sql, call.realmId),
    loadAccounts(sql, call.realmId, [call.botId]),
    sql.rows(service, [call.botId]),
  ]);
  const bot = accounts.get(call.botId);
  if (!bot?.isActive || !found) return "ended";
  const message = await readAs(sql, site, realm, bot, call.messageId);
  if (!message) return "ended";
  const isSlack = found.format === interfaces.slack;
  if (isSlack && message.type === "private")
    return {
      kind: "done",
      reply:
        "Failure! The format of my endpoint, Slack's, takes no direct messages: mention me in a channel.",
    };
  const token = site.secrets.open(found.tokenSealed);
  const { rendered_content, ...shown } = message;
  const content = isSlack
    ? slackBody(site, realm, call, { ...message, token })
    : JSON.stringify({
        data: message.content,
        message: { ...shown, rendered_content },
        bot_email: bot.deliveryEmail,
        bot_full_name: bot.fullName,
        token,
        trigger: call.trigger,
      });
  const body = Buffer.from(content, "utf8");
  const signed = { id: call.webhookId, timestamp: found.now, body };
  return {
    url: found.url,
    format: found.format,
    body,
    headers: {
      "content-type": isSlack ? "application/x-www-form-urlencoded" : "application/json",
      "user-agent": `ZulipOutgoingWebhook/${serverVersion.zulip_version}`,
      ...signatureHeaders(liveSecrets(site, found), signed),
    },
  };
}

/** Returns the message as the bot would get it, with both forms of its content; undefined if it cannot. */
async function readAs(sql: Sql, site: Site, realm: Realm, bot: Account, messageId: number) {
  const [accessible, loaded] = await Promise.all([
    accessMessages(sql, bot, [messageId]),
    loadMessages(sql, bot, [messageId], []),
  ]);
  const [found] = await hydrate(loaded);
  if (!found || !accessible.has(messageId)) return undefined;
  const { flags: _flags, ...message } = presentMessage(found.message, found.flags, {
    realm,
    viewer: bot,
    siteUrl: site.url,
    userVisibility: loaded.userVisibility,
    applyMarkdown: false,
    clientGravatar: false,
    allowEmptyTopicName: true,
  });
  return { ...message, rendered_content: found.message.renderedContent };
}

/** Returns a form in the format of Slack's outgoing webhooks. */
function slackBody(
  site: Site,
  realm: Realm,
  { botId, trigger }: ClaimedCall,
  message: {
    readonly token: string;
    readonly stream_id?: number | undefined;
    readonly display_recipient: unknown;
    readonly timestamp: number;
    readonly sender_id: number;
    readonly sender_full_name: string;
    readonly content: string;
  },
): string {
  const time = String(message.timestamp);
  return new URLSearchParams({
    token: message.token,
    team_id: `T${realm.id}`,
    team_domain: hostOf(site, realm),
    channel_id: `C${message.stream_id}`,
    channel_name: String(message.display_recipient),
    thread_ts: time,
    timestamp: time,
    user_id: `U${message.sender_id}`,
    user_name: message.sender_full_name,
    text: message.content,
    trigger_word: trigger,
    service_id: String(botId),
  }).toString();
}
