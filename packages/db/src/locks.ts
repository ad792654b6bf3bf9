import type { LockName } from "./lock-order.ts";
import { statement } from "./statement.ts";
import type { Tx } from "./tx.ts";

/**
 * The classes of two-key advisory locks, in one list so that no two uses collide. The second key is the organization's
 * id, or 0, unless noted.
 */
export const lockClass = {
  /** Held by the transaction that delivers an organization's due messages. */
  deliver: 1_100,
  /** Held while an organization's group graph or permissions change. */
  groups: 1_101,
  /** Held by the leader of recurring work; the second key is a hash of its name. */
  leader: 1_102,
  /** Held while an organization is created, or its import begun. */
  firstOrganization: 1_103,
  /**
   * Held while subscriptions change or an account is added or removed; shared while a message is sent. An
   * organization's channels and accounts are divided into parts, and the second key contains the part.
   */
  audience: 1_106,
  /** Held by a batch of deletions that does not wait for senders: at most one in the whole installation. */
  deletion: 1_104,
  /** Held while a request counts an account's scheduled messages; the second key is the account's id. */
  pendingMessages: 1_107,
  /** Held while a request counts the names of clients that an account has added; the second key is the account's id. */
  clientNames: 1_108,
  /** Held while a presence is stored, so that the order of `update_id` is the order of commits. */
  presence: 1_110,
  /** Held while alert words get their next `version`, so that its order is the order of commits. */
  alertWords: 1_111,
  /** Held while a change affects which accounts guests see; shared while events about accounts are sent. */
  userVisibility: 1_112,
  /** Held from counting an organization's channels until the new ones are committed. */
  newChannels: 1_113,
  /** Held by the request with an `Idempotency-Key`; the second key is a part of the key's digest. */
  idempotencyKey: 1_130,
  /** Held while a message is sent or edited for an upsert key; the second key is a hash of sender, recipient and key. */
  upserts: 1_114,
  /** Held while a command to the scheduling bot is done; the second key is the account's id. */
  botCommands: 1_115,
  /** Held while a request counts an organization's mails with invitations, or its reusable links. */
  invitationCounts: 1_116,
  /** Held while a call of an outgoing webhook is begun or ended; the second key is a hash of bot and conversation. */
  outgoingConversation: 1_117,
  /** Held while a call to an endpoint is counted among those in progress. */
  outgoingSlots: 1_118,
  /** Held while an organization's event subscriptions are counted and one is created. */
  newSubscriptions: 1_119,
  /** Held while the rate limits of one bucket are checked; the second key is a hash of its name. */
  rateLimit: 1_120,
} as const;

const exclusive = statement({
  name: "advisory-lock",
  text: "SELECT pg_advisory_xact_lock($1, $2)",
});
const shared = statement({
  name: "advisory-lock-shared",
  text: "SELECT pg_advisory_xact_lock_shared($1, $2)",
});

/** The advisory locks that are taken with one key. */
type KeyLock = Extract<LockName, keyof typeof lockClass>;

/** Takes the lock exclusively until the transaction ends. */
export async function lockKey(tx: Tx, name: KeyLock, key: number): Promise<void> {
  await tx.lock({ name, keys: [key] }, exclusive, [lockClass[name], key]);
}

/** Takes the lock shared until the transaction ends. */
export async function lockKeyShared(tx: Tx, name: KeyLock, key: number): Promise<void> {
  await tx.lock({ name, keys: [key], shared: true }, shared, [lockClass[name], key]);
}

/** Takes the lock exclusively with the commit. */
export function lockKeyWithCommit(tx: Tx, name: KeyLock, key: number): void {
  tx.sendWithCommit(exclusive, [lockClass[name], key], { name, keys: [key] });
}
