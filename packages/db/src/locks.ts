import { column } from "./column.ts";
import type { LockName } from "./lock-order.ts";
import { statement } from "./statement.ts";
import type { Tx } from "./tx.ts";

/**
 * The classes of our two-key advisory locks, in one list so that no two uses collide.
 * The second key is the organization's id, or 0; of `audience` more than that.
 */
export const lockClass = {
  /** Held by the one transaction that delivers an organization's due messages. */
  deliver: 1_100,
  /** Held while an organization's group graph or permissions change. */
  groups: 1_101,
  /** Held by the one process that does recurring work; the second key is a hash of which it is. */
  leader: 1_102,
  /** Held while the first organization is made. */
  firstOrganization: 1_103,
  /**
   * Held, a part of an organization's channels and accounts each, while it changes who is subscribed, or an account comes
   * or goes; shared by who sends.
   */
  audience: 1_106,
  /** Held by the one batch of deletions that waits for nobody who sends; tried, of the whole installation. */
  deletion: 1_104,
  /** Held by the one request that counts an account's scheduled messages; the second key is the account's id. */
  pendingMessages: 1_107,
  /** Held by the one request that counts the names of programs that an account has added; the second key is its id. */
  clientNames: 1_108,
  /** Held while an organization's next presence is stored: the order of `update_id` is that of commits. */
  presence: 1_110,
  /** Held while an account's alert words get their next `version`: its order is that of commits. */
  alertWords: 1_111,
  /** Held while it changes whom an organization's guests see; shared by who tells of its accounts. */
  userVisibility: 1_112,
  /** Held from the count of an organization's channels until those are committed that are created then. */
  newChannels: 1_113,
  /** Held while the rate limits of one bucket are asked; the second key is a hash of its name. */
  rateLimit: 1_120,
} as const;

const alone = statement({
  name: "advisory-lock",
  text: "SELECT pg_advisory_xact_lock($1, $2)",
  row: { pg_advisory_xact_lock: column.nothing },
});
const shared = statement({
  name: "advisory-hold",
  text: "SELECT pg_advisory_xact_lock_shared($1, $2)",
  row: { pg_advisory_xact_lock_shared: column.nothing },
});

/** The advisory locks that are waited for with one key. */
type KeyLock = Extract<LockName, keyof typeof lockClass>;

/** Waits until nobody else has the lock, and keeps it until the transaction ends. */
export async function lockKey(tx: Tx, name: KeyLock, key: number): Promise<void> {
  await tx.lock({ name, keys: [key] }, alone, [lockClass[name], key]);
}

/** Waits until nobody has the lock alone, and shares it until the transaction ends. */
export async function holdKey(tx: Tx, name: KeyLock, key: number): Promise<void> {
  await tx.lock({ name, keys: [key], shared: true }, shared, [lockClass[name], key]);
}

/** Takes the lock with the commit. */
export function lockKeyWithCommit(tx: Tx, name: KeyLock, key: number): void {
  tx.sendWithCommit(alone, [lockClass[name], key], { name, keys: [key] });
}
