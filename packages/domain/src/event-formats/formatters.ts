import { formatStreamCreate, formatStreamUpdate } from "./channels.ts";
import type { Formatter } from "./delivery.ts";
import { formatGroupChange, formatGroupUpdate } from "./groups.ts";
import { formatDeletion, formatFlags, formatMessageUpdate } from "./message-changes.ts";
import { formatMessage } from "./message.ts";
import { formatEmojiChange, formatLinkifiers } from "./organization.ts";
import { formatPresence } from "./presence.ts";
import { formatPeers, formatSubscriptionAdd } from "./subscriptions.ts";
import { formatTyping, formatUserTopic } from "./topics.ts";
import { formatUserAdd, formatUserUpdate } from "./users.ts";

/**
 * Which events depend on the queue, and how (events.md §1.1, §4), by type or by type and op. What is not here goes out
 * as it lies in the log. A formatter's file says what the log has to keep for it.
 */
const formatters = new Map<string, Formatter>([
  ["message", formatMessage],
  ["update_message", formatMessageUpdate],
  ["delete_message", formatDeletion],
  ["update_message_flags", formatFlags],
  ["typing", formatTyping],
  ["user_topic", formatUserTopic],
  ["stream/create", formatStreamCreate],
  ["stream/update", formatStreamUpdate],
  ["subscription/add", formatSubscriptionAdd],
  ["subscription/peer_add", formatPeers],
  ["subscription/peer_remove", formatPeers],
  ["user_group", formatGroupChange],
  ["user_group/update", formatGroupUpdate],
  ["realm_user/add", formatUserAdd],
  ["realm_user/update", formatUserUpdate],
  ["realm_emoji", formatEmojiChange],
  ["realm_linkifiers", formatLinkifiers],
  ["presence", formatPresence],
]);

const asLogged: Formatter = (delivery) => [delivery.with(delivery.fields())];

/** The formatter for events of this kind. */
export function formatterOf(type: string, op: string | null): Formatter {
  return formatters.get(`${type}/${op}`) ?? formatters.get(type) ?? asLogged;
}
