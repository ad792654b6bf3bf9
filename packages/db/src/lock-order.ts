/**
 * Everything that a transaction waits for, in the one order in which it may: a transaction that holds a lock takes only later ones,
 * so that nobody waits in a circle (docs/decisions/018). Within one of them the keys come in ascending order, in one
 * statement. `Tx.lock` takes them, and checks the order in tests and in development.
 *
 * What nobody waits for has no place: locks that are tried (`pg_try_advisory_xact_lock`), and rows that are skipped where
 * somebody has them (`SKIP LOCKED`).
 */
export const lockOrder = [
  /** The row of the intent that a job does; claimed before the job looks at anything. By id. */
  "intent",
  /** The row of the step that a job of a deletion takes; likewise. By deletion. */
  "deletionStep",
  /** The hits of one rate limit, in a transaction of their own. By a hash of its name. */
  "rateLimit",
  /** Making the first organization. */
  "firstOrganization",
  /** The organization's group graph: who is in its groups, who comes and goes, permissions. By organization. */
  "groups",
  /** Rows of accounts, people and bots. By id. */
  "accounts",
  /** The organization's row: its settings, who owns it, which names are taken. By id. */
  "organization",
  /** Counting the organization's channels before some are created. By organization. */
  "newChannels",
  /** Adding names of programs. By account. */
  "clientNames",
  /** Rows of scheduled messages that are edited, deleted or delivered. By id; a delivery is alone in its organization. */
  "scheduled",
  /** Who is subscribed to channels, and whether somebody sends; 64 parts of all channels and accounts. By part. */
  "audience",
  /** Rows of channels. By id. */
  "channels",
  /** Rows of one account's subscriptions. By channel. */
  "subscriptions",
  /** Whom guests see who do not see everybody; shared by who tells of accounts. By organization. */
  "userVisibility",
  /** Rows of devices that push notifications go to. By id. */
  "devices",
  /** Rows of an account's push tokens of the older kind. By id. */
  "legacyPushTokens",
  /** Rows of deletions of an account's messages: an unfinished one takes up what is wanted besides. By account. */
  "deletions",
  /** Rows of messages that are removed or changed. By id. */
  "messages",
  /** Rows of copies of messages. By account, and of one account by message. */
  "copies",
  /** Rows of what people want of topics that become another one. By account. */
  "topicPolicies",
  /** Rows of direct conversations that are new: another transaction that makes the same one waits. */
  "conversations",
  /** Counting scheduled messages near the bound. By account. */
  "pendingMessages",
  /** What a bot has stored. By bot. */
  "botStorage",
  /** What an account says of itself: its status, its presence. By account. */
  "ownState",
  /** The order of changes of alert words. By organization. */
  "alertWords",
  /** The order of presences. By organization. */
  "presence",
  /** The head of the organization's log, with the commit. By organization. */
  "eventHead",
] as const;

export type LockName = (typeof lockOrder)[number];

/** A lock, or several of one kind, as somebody takes it. */
export interface Lock {
  readonly name: LockName;
  /**
   * What it is of, as the order says. Left out where only the statement knows: its rows then have an `id` each, and
   * nothing of the kind may be held yet.
   */
  readonly keys?: readonly number[];
  /** Others may hold it too, who share it. */
  readonly shared?: boolean;
  /**
   * Something of which there are no keys to know: rows that come to be, for which only a transaction waits that makes
   * the same ones, or so many that the statement does not name them.
   */
  readonly fresh?: boolean;
}
