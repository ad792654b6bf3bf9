/**
 * The classes of our two-key advisory locks, in one list so that no two uses collide.
 * The second key is the organization's id, or 0; of `audience` more than that.
 */
export const lockClass = {
  /** Held by the one transaction that delivers an organization's due messages. */
  deliver: 1_100,
  /** Held while an organization's group graph or group-valued settings change. */
  groups: 1_101,
  /** Held by the one process that does recurring work; the second key is a hash of which it is. */
  leader: 1_102,
  /** Held while the first organization is made. */
  firstOrganization: 1_103,
  /** Held, a part of an organization's channels each, while it changes who is subscribed; shared by who sends. */
  audience: 1_106,
  /** Held by the one request that counts an account's scheduled messages; the second key is the account's id. */
  pendingMessages: 1_107,
  /** Held by the one request that counts the names of programs that an account has added; the second key is its id. */
  clientNames: 1_108,
  /** Held while an organization's next presence is stored: the order of `update_id` is that of commits. */
  presence: 1_110,
  /** Held while the rate limits of one bucket are asked; the second key is a hash of its name. */
  rateLimit: 1_120,
} as const;
