/**
 * The access rules of channels.md §3, of reading (messages.md §2.1) and of posting (scheduled-messages.md §0.4), for one
 * account and one channel. They are a second implementation from the specification and share no code with the product.
 */
export interface Case {
  readonly privacy: Privacy;
  readonly archived: boolean;
  readonly role: Role;
  readonly subscription: Subscription;
  /** The channel's permissions that include the account, directly or through groups. */
  readonly listed: readonly Permission[];
  /** Permissions granted to all accounts, whatever they list. */
  readonly everyones: readonly Permission[];
  /** For a bot: the same values of its owner. */
  readonly owner?: Pick<Case, "subscription" | "listed">;
}

export const privacies = ["web-public", "public", "private, shared", "private, protected"] as const;
export type Privacy = (typeof privacies)[number];

export const subscriptions = ["never", "subscribed", "was subscribed"] as const;
export type Subscription = (typeof subscriptions)[number];

export type Role = "owner" | "administrator" | "moderator" | "member" | "guest";

export const granting = [
  "can_administer_channel_group",
  "can_add_subscribers_group",
  "can_subscribe_group",
] as const;
export type Permission =
  | (typeof granting)[number]
  | "can_send_message_group"
  | "can_create_topic_group";

const isGuest = ({ role }: Case) => role === "guest";
const isAdministrator = ({ role }: Case) => role === "owner" || role === "administrator";
const isSubscribed = ({ subscription }: Pick<Case, "subscription">) =>
  subscription === "subscribed";

/** Guests never benefit from these permissions, even when listed by ID (§2). */
const holds = (c: Case, permission: (typeof granting)[number]) =>
  !isGuest(c) && c.listed.includes(permission);

/** Content access: may read messages (§3). */
export function readsContent(c: Case): boolean {
  if (c.privacy === "web-public") return true;
  if (isSubscribed(c)) return true;
  if (isGuest(c)) return false;
  if (c.privacy === "public") return true;
  return holds(c, "can_subscribe_group") || holds(c, "can_add_subscribers_group");
}

/** Metadata access: may see the channel (§3). */
export function seesMetadata(c: Case): boolean {
  return readsContent(c) || isAdministrator(c) || holds(c, "can_administer_channel_group");
}

/** May administer the channel (§3). */
export function administers(c: Case): boolean {
  return isAdministrator(c) || holds(c, "can_administer_channel_group");
}

/** Sent before any account was subscribed, and sent while the accounts were subscribed. */
export const sent = ["before", "during"] as const;
export type Sent = (typeof sent)[number];

const received = (c: Case): readonly Sent[] => (c.subscription === "never" ? [] : ["during"]);

/** messages.md §2.1: with a term that names the channel. */
export function readsHere(c: Case): readonly Sent[] {
  const all =
    c.privacy === "web-public" ||
    (c.privacy === "public" && !isGuest(c)) ||
    (c.privacy !== "private, protected" && readsContent(c));
  if (all) return sent;
  return readsContent(c) ? received(c) : [];
}

/** messages.md §2.1: without such a term: received messages that are still readable. */
export function readsInHistory(c: Case): readonly Sent[] {
  return readsContent(c) ? received(c) : [];
}

/** Permissions that may be role:everyone: guests hold them, and a bot may use its owner's. */
const may = (c: Case, permission: Permission) =>
  c.everyones.includes(permission) ||
  c.listed.includes(permission) ||
  (c.owner?.listed.includes(permission) ?? false);

/** May send to a topic (scheduled-messages.md §0.4, steps 2 to 6). */
export function posts(c: Case, topic: "old" | "new"): boolean {
  if (c.archived || !may(c, "can_send_message_group")) return false;
  if (topic === "new" && !may(c, "can_create_topic_group")) return false;
  if (c.privacy === "web-public" || (c.privacy === "public" && !isGuest(c))) return true;
  if (isSubscribed(c) || (c.owner && isSubscribed(c.owner))) return true;
  return c.privacy === "private, shared" && readsContent(c);
}

/** §8: accounts may subscribe themselves to readable channels; guests never. */
export function subscribesSelf(c: Case): boolean {
  return !c.archived && !isGuest(c) && readsContent(c);
}

/** §8: subscribing others, if the organization's own permission to add subscribers is role:nobody. */
export function subscribesOthers(c: Case): boolean {
  return subscribesSelf(c) && (administers(c) || holds(c, "can_add_subscribers_group"));
}

/** §8: unsubscribing others from a channel whose permission to remove subscribers is role:nobody. */
export function unsubscribesOthers(c: Case): boolean {
  return administers(c);
}
