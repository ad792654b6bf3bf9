import { getMessages, sendMessage } from "@carillon/contract";
import type { Database } from "@carillon/db";
import { idOf, type Gateway, type TestAccount, type IdOrRow } from "@carillon/testkit";

/** Shared helpers of the tests of `GET /messages`. */

/** Sends to a channel. @returns the message's ID */
export async function post(
  gateway: Gateway,
  sender: TestAccount,
  channel: IdOrRow,
  topic = "lunch",
  content = "Soup?",
): Promise<number> {
  const params = { type: "channel", to: idOf(channel), topic, content };
  return (await gateway.as(sender).succeed(sendMessage, { params })).id;
}

/** Sends a direct message. @returns its ID */
export async function write(
  gateway: Gateway,
  sender: TestAccount,
  to: readonly IdOrRow[],
  content = "Hello",
): Promise<number> {
  const params = { type: "direct", to: to.map(idOf), content };
  return (await gateway.as(sender).succeed(sendMessage, { params })).id;
}

/** All messages that match the narrow for this account. */
export function all(
  gateway: Gateway,
  account: TestAccount,
  narrow: unknown = [],
  more: object = {},
) {
  const params = { anchor: "oldest", num_before: 0, num_after: 5000, narrow, ...more };
  return gateway.as(account).succeed(getMessages, { params });
}

/** The IDs of all messages that match the narrow. */
export async function idsFor(
  gateway: Gateway,
  account: TestAccount,
  narrow: unknown = [],
  more: object = {},
): Promise<number[]> {
  return (await all(gateway, account, narrow, more)).messages.map(({ id }) => id);
}

/** Adds bits to the account's copy of each message. */
export async function setFlags(
  db: Database,
  account: IdOrRow,
  bits: number,
  ...messageIds: number[]
): Promise<void> {
  await db.rows(
    "UPDATE user_messages SET flags = flags | $3 WHERE user_id = $1 AND message_id = ANY($2::bigint[])",
    [idOf(account), messageIds, bits],
  );
}

/** Makes the account's copies of these messages the only ones that are unread. */
export async function leaveUnread(
  db: Database,
  account: IdOrRow,
  ...messageIds: number[]
): Promise<void> {
  await db.rows(
    "UPDATE user_messages SET flags = CASE WHEN message_id = ANY($2::bigint[]) THEN flags & ~1 ELSE flags | 1 END WHERE user_id = $1",
    [idOf(account), messageIds],
  );
}

/** A term of a narrow. */
export function term(operator: string, operand: unknown, negated?: boolean) {
  return { operator, operand, ...(negated === undefined ? {} : { negated }) };
}
