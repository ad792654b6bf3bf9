import type { OutgoingMessage, Realm } from "@carillon/model";
import type { Tx } from "@carillon/db";

import { recordNoSubscribersNotices } from "./record-no-subscribers-notices.ts";
import type { MadeMessages } from "./make-messages.ts";
import { sendMessages, writeMessages, type NumberedMessages, type SendResult } from "./send.ts";

/**
 * Sends messages that the check has accepted (scheduled-messages.md §5, §6). The audiences of the channels must have been
 * locked before the check.
 */
export async function sendChecked(
  tx: Tx,
  realm: Realm,
  outgoing: readonly OutgoingMessage[],
): Promise<SendResult> {
  const [result] = await Promise.all([
    sendMessages(tx, realm, outgoing),
    recordNoSubscribersNotices(tx, realm, outgoing),
  ]);
  return result;
}

/** Sends accepted messages that have ids. @param made their values and events, if the caller has prepared them */
export async function writeChecked(
  tx: Tx,
  realm: Realm,
  messages: NumberedMessages,
  made?: MadeMessages,
): Promise<SendResult> {
  const [result] = await Promise.all([
    writeMessages(tx, realm, messages, made),
    recordNoSubscribersNotices(tx, realm, messages.numbered),
  ]);
  return result;
}
