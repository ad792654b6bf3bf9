import { errors } from "@carillon/contract";

import type { Realm } from "../realms/realm.ts";
import type { Account } from "../users/account.ts";
import type { AccessibleMessage } from "./access.ts";

/** Seconds in which the content of a message may be edited (`message_content_edit_limit_seconds`). */
export const contentEditLimit = 600;

/**
 * Whether the account may edit what the message says (messages.md §6.2): nobody edits what another has written.
 * @param buffer seconds for an edit that was begun in time
 * @throws ApiError `BAD_REQUEST`
 */
export function checkContentEditable(
  { id }: Pick<Account, "id">,
  { senderId, sentAt }: Pick<AccessibleMessage, "senderId" | "sentAt">,
  { now }: Pick<Realm, "now">,
  buffer: number,
): void {
  if (senderId !== id) throw errors.badRequest("You may not edit the content of this message");
  if (now - sentAt > contentEditLimit + buffer)
    throw errors.badRequest(
      `The content of a message may be edited for ${contentEditLimit} seconds after it was sent`,
    );
}
