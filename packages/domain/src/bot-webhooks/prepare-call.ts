import { statement, type Sql } from "@carillon/db";
import { inSlices } from "@carillon/kit";
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

/** The request of a call, or what follows without one: `ended` if the message is gone or the bot cannot read it. */
export type PreparedRequest = EndpointRequest | Verdict | "ended";

/**
 * Builds the requests of calls of one bot from the messages as they are now (bot-platform.md §2.2).
 * @param sql a REPEATABLE READ, READ ONLY transaction
 * @returns in the order of the calls
 */
export async function prepareCalls(
  sql: Sql,
  site: Site,
  calls: readonly ClaimedCall[],
): Promise<PreparedRequest[]> {
  const [first] = calls;
  if (!first) return [];
  const [realm, accounts, [found]] = await Promise.all([
    loadRealm(sql, first.realmId),
    loadAccounts(sql, first.realmId, [first.botId]),
    sql.rows(service, [first.botId]),
  ]);
  const bot = accounts.get(first.botId);
  if (!bot?.isActive || !found) return calls.map(() => "ended");
  const messages = await readAs(
    sql,
    { site, realm, bot },
    calls.map(({ messageId }) => messageId),
  );
  const token = site.secrets.open(found.tokenSealed);
  const secrets = liveSecrets(site, found);
  const isSlack = found.format === interfaces.slack;
  return inSlices(calls, (call): PreparedRequest => {
    const message = messages.get(call.messageId);
    if (!message) return "ended";
    if (isSlack && message.type === "private")
      return {
        kind: "done",
        reply:
          "Failure! The format of my endpoint, Slack's, takes no direct messages: mention me in a channel.",
      };
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
        ...signatureHeaders(secrets, signed),
      },
    };
  });
}

/** Returns the messages that the bot can see, as it would get them, with both forms of their content; by id. */
async function readAs(
  sql: Sql,
  { site, realm, bot }: { readonly site: Site; readonly realm: Realm; readonly bot: Account },
  messageIds: readonly number[],
) {
  const visible = await accessMessages(sql, bot, messageIds);
  const loaded = await loadMessages(sql, bot, [...visible.keys()], []);
  const found = await hydrate(loaded);
  return new Map(
    found.map((one) => {
      const { flags: _flags, ...message } = presentMessage(one.message, one.flags, {
        realm,
        viewer: bot,
        siteUrl: site.url,
        userVisibility: loaded.userVisibility,
        applyMarkdown: false,
        clientGravatar: false,
        allowEmptyTopicName: true,
      });
      return [message.id, { ...message, rendered_content: one.message.renderedContent }] as const;
    }),
  );
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
