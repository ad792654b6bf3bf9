import { createBot } from "@carillon/contract";
import type { Database } from "@carillon/db";
import { callWebhook, type CallWebhook } from "@carillon/jobs";
import { loadAccounts } from "@carillon/model";
import { expect } from "chai";

import type { EndpointCall } from "../endpoint.ts";
import type { TestAccount } from "../factories/account.ts";
import type { GatewayClient, Params } from "../gateway-client.ts";
import { runJob, type RunJobOptions } from "../jobs.ts";
import type { Scene } from "../scene.ts";
import { send, toChannel } from "./sending.ts";

let made = 0;

/** Creates an outgoing webhook bot of the account by the API. */
export async function webhookBot(
  scene: Pick<Scene, "db" | "as">,
  owner: TestAccount,
  url: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<TestAccount> {
  const name = `caller-${process.pid}-${++made}`;
  const { user_id, api_key } = await scene.as(owner).succeed(createBot, {
    params: { full_name: name, short_name: name, bot_type: 3, payload_url: url, ...params },
  });
  const account = (await loadAccounts(scene.db, owner.realmId, [user_id])).get(user_id);
  if (!account) throw new Error("the bot was not created");
  return { ...account, apiKey: api_key };
}

/** Mentions a bot in a channel, under the topic `lunch` unless given otherwise. @returns the id of the message */
export function mentionBot(
  client: GatewayClient,
  bot: Pick<TestAccount, "fullName">,
  room: { readonly id: number },
  text: string,
  params: Params = {},
): Promise<number> {
  return send(client, toChannel(room.id, { content: `@**${bot.fullName}** ${text}`, ...params }));
}

/** Returns the last word of the message for which an endpoint was called. */
export function calledWith({ body }: Pick<EndpointCall, "body">): string | undefined {
  return (JSON.parse(body) as { data: string }).data.split(" ").at(-1);
}

/** A row of `outgoing_call`. */
export interface CallRow extends CallWebhook {
  readonly botId: number;
  readonly messageId: number;
  readonly state: string;
  readonly attempts: number;
  readonly reason: string | null;
  readonly webhookId: string;
  /** Seconds until it may be made; infinite behind an earlier call. */
  readonly dueIn: number;
}

/** Reads the calls of a bot, in the order of messages. */
export function callsOf(db: Database, bot: { readonly id: number }): Promise<CallRow[]> {
  return db.rows<CallRow>(
    `SELECT id AS "callId", version, calls, bot_id AS "botId", message_id AS "messageId", state, attempts, reason,
       webhook_id AS "webhookId",
       CASE WHEN next_at = 'infinity' THEN 'infinity' ELSE extract(epoch FROM next_at - now()) END::float8 AS "dueIn"
     FROM outgoing_call WHERE bot_id = $1 ORDER BY message_id`,
    [bot.id],
  );
}

/** Runs the jobs of the bot's calls that may be made, in the order of messages, until none is left. */
export async function makeCalls(
  db: Database,
  bot: { readonly id: number },
  options?: RunJobOptions,
): Promise<void> {
  for (let round = 0; round < 300; round++) {
    const [next] = (await callsOf(db, bot)).filter(
      ({ state, dueIn }) => state === "waiting" && dueIn <= 0,
    );
    if (!next) return;
    const { callId, version, calls } = next;
    await runJob(db, callWebhook, { callId, version, calls }, options);
  }
  expect.fail("calls are left");
}

/** Lets time pass for the bot's waiting calls: those that may be made later may be made now. */
export async function letCallsWait(db: Database, bot: { readonly id: number }): Promise<void> {
  await db.rows(
    `UPDATE outgoing_call SET next_at = now(), calling_until = NULL
     WHERE bot_id = $1 AND state = 'waiting' AND next_at <> 'infinity'`,
    [bot.id],
  );
}

/**
 * Makes waiting calls of the bot older than they are.
 * @param age such as `11 minutes`
 * @param which `before`: only calls of messages before this one; `untried`: only calls without an attempt
 */
export async function ageCalls(
  db: Database,
  bot: { readonly id: number },
  age: string,
  { before, untried = false }: { readonly before?: number; readonly untried?: boolean } = {},
): Promise<void> {
  await db.rows(
    `UPDATE outgoing_call SET started_at = now() - $2::interval
     WHERE bot_id = $1 AND state = 'waiting' AND ($3::bigint IS NULL OR message_id < $3) AND (NOT $4 OR attempts = 0)`,
    [bot.id, age, before ?? null, untried],
  );
}

/** Returns what the bot has said, oldest first. */
export function saidBy(
  db: Database,
  bot: { readonly id: number },
): Promise<
  Array<{ id: number; content: string; topic: string; isChannel: boolean; client: string }>
> {
  return db.rows(
    `SELECT m.id, m.content, m.topic, m.is_channel AS "isChannel", c.name AS client
     FROM messages m JOIN clients c ON c.id = m.client_id WHERE m.sender_id = $1 ORDER BY m.id`,
    [bot.id],
  );
}
