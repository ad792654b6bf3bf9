import type { Message } from "@carillon/client";
import type { Settings } from "../store/settings.ts";

/** Returns whether a message was edited or moved and the organization lets people see how. */
export function hasHistory(message: Message, { organization }: Settings): boolean {
  const policy = organization.get("message_edit_history_visibility_policy");
  const isMoved = message.last_moved_timestamp !== undefined;
  if (policy === "none") return false;
  return isMoved || (policy !== "moves" && message.last_edit_timestamp !== undefined);
}
