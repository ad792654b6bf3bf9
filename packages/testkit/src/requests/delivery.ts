import type { Database } from "@carillon/db";
import { deliverDue } from "@carillon/jobs";
import { makeDue } from "../factories/scheduled-message.ts";
import type { GatewayClient } from "../gateway-client.ts";
import { runJob } from "../jobs.ts";
import { succeeded } from "./answers.ts";

/** Runs the organization's delivery job until no message is due. */
export async function deliver(db: Database, realm: { readonly id: number }): Promise<void> {
  for (let turn = 0; turn < 50; turn++) {
    const second = Math.floor(Date.now() / 1_000) - 1;
    const { published } = await runJob(db, deliverDue, { realmId: realm.id, second });
    if (published.length === 0) return;
  }
  throw new Error("the delivery job never came to an end");
}

/** Makes the rows due `lateBy` seconds ago, and delivers. */
export async function deliverNow(
  db: Database,
  realm: { readonly id: number },
  ids: readonly number[],
  lateBy = 1,
): Promise<void> {
  for (const id of ids) await makeDue(db, id, -lateBy);
  await deliver(db, realm);
}

/** A message of `GET /messages`. */
export interface ReadMessage {
  readonly id: number;
  readonly type: "stream" | "private";
  readonly sender_id: number;
  readonly stream_id?: number;
  readonly subject: string;
  readonly content: string;
  readonly timestamp: number;
  readonly client: string;
  readonly flags: readonly string[];
  readonly display_recipient: string | ReadonlyArray<{ readonly id: number }>;
}

/** The newest messages of a narrow as the account reads them, Markdown as written, oldest first. */
export async function messagesOf(
  client: GatewayClient,
  narrow: readonly object[],
): Promise<readonly ReadMessage[]> {
  const answer = await client.get("/api/v1/messages", {
    anchor: "newest",
    num_before: 1_000,
    num_after: 0,
    narrow,
    apply_markdown: false,
    allow_empty_topic_name: true,
  });
  return succeeded(answer)["messages"] as readonly ReadMessage[];
}

/** The narrow of a channel's messages. */
export const inChannel = (channelId: number): readonly object[] => [
  { operator: "channel", operand: channelId },
];

/** The narrow of a direct conversation; the caller may be left out. */
export const withUsers = (...ids: readonly number[]): readonly object[] => [
  { operator: "dm", operand: ids },
];

/** The notification bot's messages to the account, oldest first. */
export function noticesTo(
  client: GatewayClient,
  notificationBot: { readonly id: number },
): Promise<readonly ReadMessage[]> {
  return messagesOf(client, withUsers(notificationBot.id));
}
