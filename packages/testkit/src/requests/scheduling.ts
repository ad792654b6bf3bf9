import type { Database } from "@carillon/db";
import type { AnswerBody, GatewayClient, Params } from "../gateway-client.ts";
import type { TestAccount } from "../factories/account.ts";
import { expect } from "chai";
import { succeeded } from "./answers.ts";
import { refused } from "./refusal.ts";
import type { Scene } from "../scene.ts";

export const scheduledMessagesPath = "/api/v1/scheduled_messages";

/** A record of `GET /scheduled_messages` (scheduled-messages.md §0.7). */
export interface ScheduledRecord {
  readonly scheduled_message_id: number;
  readonly type: "stream" | "private";
  readonly to: number | readonly number[];
  readonly topic?: string;
  readonly content: string;
  readonly rendered_content: string;
  readonly scheduled_delivery_timestamp: number;
  readonly failed: boolean;
}

/** Returns UNIX seconds relative to now. */
export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1_000) + seconds;
}

/** Parameters of a channel message an hour from now. */
export function channelMessage(channelId: number, over: Params = {}): Params {
  return {
    type: "channel",
    to: channelId,
    topic: "lunch",
    content: "hello",
    scheduled_delivery_timestamp: inSeconds(3_600),
    ...over,
  };
}

/** Parameters of a direct message an hour from now. */
export function directMessage(to: readonly number[], over: Params = {}): Params {
  return {
    type: "direct",
    to,
    content: "hello",
    scheduled_delivery_timestamp: inSeconds(3_600),
    ...over,
  };
}

/** Schedules a message; expects success. */
export async function schedule(client: GatewayClient, params: Params): Promise<number> {
  const body = succeeded(await client.post(scheduledMessagesPath, params));
  expect(body, "nothing but the id").to.have.all.keys("result", "msg", "scheduled_message_id");
  const id = body["scheduled_message_id"];
  expect(id).to.be.a("number");
  return id as number;
}

/** The account's scheduled messages as listed. */
export async function scheduledOf(client: GatewayClient): Promise<readonly ScheduledRecord[]> {
  return succeeded(await client.get(scheduledMessagesPath))[
    "scheduled_messages"
  ] as readonly ScheduledRecord[];
}

/** One record of the list. */
export async function recordOf(client: GatewayClient, id: number): Promise<ScheduledRecord> {
  const found = (await scheduledOf(client)).find((record) => record.scheduled_message_id === id);
  if (!found) throw new Error(`the scheduled message ${id} is not listed`);
  return found;
}

/** Schedules a message and returns the listed record. */
export async function scheduleAndRead(
  client: GatewayClient,
  params: Params,
): Promise<ScheduledRecord> {
  return recordOf(client, await schedule(client, params));
}

/** Expects that the request is refused with this error and changes nothing. */
export function scheduleRefused(
  scene: Scene,
  account: TestAccount,
  params: Params,
  code = "BAD_REQUEST",
  extra: Readonly<Record<string, unknown>> = {},
): Promise<AnswerBody> {
  const ask = () => scene.as(account).post(scheduledMessagesPath, params);
  return refused(scene.db, ask, code, extra);
}

/** Columns of a row that no operation returns. */
export interface StoredRow {
  readonly delivered: boolean;
  readonly failed: boolean;
  readonly failureMessage: string | null;
  readonly deliveredMessageId: number | null;
  readonly readBySender: boolean;
  readonly version: number;
  readonly enqueued: boolean;
  readonly client: string;
}

/** The stored row; undefined if it is gone. */
export async function storedRow(db: Database, id: number): Promise<StoredRow | undefined> {
  const rows = await db.rows<StoredRow>(
    `SELECT delivered, failed, failure_message AS "failureMessage",
       delivered_message_id AS "deliveredMessageId", read_by_sender AS "readBySender", version,
       alarmed_at IS NOT NULL AS enqueued, c.name AS client
     FROM scheduled_messages s JOIN clients c ON c.id = s.client_id WHERE s.id = $1`,
    [id],
  );
  return rows[0];
}
