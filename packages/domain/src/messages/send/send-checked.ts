import type { OutgoingMessage, Realm } from "@carillon/model";
import type { Tx } from "@carillon/db";

import { recordUnheard } from "./record-unheard.ts";
import type { MadeMessages } from "./make-messages.ts";
import { sendMessages, writeMessages, type NumberedMessages, type SendResult } from "./send.ts";

/**
 * Sends what somebody has written and the check has let through, now or at its time (scheduled-messages.md §5, §6): the
 * two ways do not differ. The audiences of the channels must be held since before the check.
 */
export async function sendChecked(
  tx: Tx,
  realm: Realm,
  outgoing: readonly OutgoingMessage[],
): Promise<SendResult> {
  const [result] = await Promise.all([
    sendMessages(tx, realm, outgoing),
    recordUnheard(tx, realm, outgoing),
  ]);
  return result;
}

/** The same for messages that have their ids, and that may have been made already. */
export async function writeChecked(
  tx: Tx,
  realm: Realm,
  messages: NumberedMessages,
  made?: MadeMessages,
): Promise<SendResult> {
  const [result] = await Promise.all([
    writeMessages(tx, realm, messages, made),
    recordUnheard(tx, realm, messages.numbered),
  ]);
  return result;
}
