/**
 * All locks that a transaction may wait for, in the order in which it takes them: a transaction that holds a lock takes
 * only later ones, so that there are no deadlocks (docs/decisions/018). Keys of one kind are taken in ascending order, in
 * one statement. `Tx.lock` takes them, and checks the order in tests and in development.
 *
 * The order does not concern locks that are only tried (`pg_try_advisory_xact_lock`) or skipped (`SKIP LOCKED`).
 */
export const lockOrder = [
  /** The commands of one person to the scheduling bot, which are done one at a time. By account. */
  "botCommands",
  /** The calls of one bot in one conversation, which are made one after the other. By a hash of both. */
  "outgoingConversation",
  /** Rows of calls whose answers are being stored. By id. */
  "outgoingCalls",
  /** The calls in progress of an organization, while another one is added to them. By organization. */
  "outgoingSlots",
  /** The intent that a job works on; claimed before the job reads anything else. By id. */
  "intent",
  /** The step that a deletion job works on; claimed before the job reads anything else. By deletion. */
  "deletionStep",
  /** Requests that wait for their pictures; locked before any other row of the request. By id. */
  "pictureRequests",
  /** The hits of one rate limit, in a separate transaction; the key is a hash of its name. */
  "rateLimit",
  /** The `Idempotency-Key` of a request; locked before anything else that the request locks. By a part of its digest. */
  "idempotencyKey",
  /** Creation of the first organization. */
  "firstOrganization",
  /** Upsert keys of messages: an edit of the bound message follows. By a hash of sender, recipient and key. */
  "upserts",
  /** The organization's group graph: members of groups, new and deactivated accounts, permissions. By organization. */
  "groups",
  /** Invitation links. All links of an address are locked together, so that only one creates the account. By id. */
  "invitations",
  /** The counts of an organization's mails with invitations, and of its reusable links. By organization. */
  "invitationCounts",
  /** Rows of accounts, people and bots. By id. */
  "accounts",
  /** The organization's row: its settings, its owners, names in use. By id. */
  "organization",
  /** The count of the organization's channels before some are created. By organization. */
  "newChannels",
  /** New names of clients. By account. */
  "clientNames",
  /** Delivery in an organization; only a counted try waits for it, all others just try to take it. By organization. */
  "deliver",
  /**
   * Rows of scheduled messages that are edited, deleted or delivered. By id; an organization has one delivery at a
   * time.
   */
  "scheduled",
  /** Rows of series of messages whose occurrences are edited, delivered or planned. By id. */
  "series",
  /**
   * Keeps subscriptions from changing while a message is sent. Channels and accounts are divided into 64 parts. By part.
   */
  "audience",
  /** Rows of accounts' last visits, while copies are being deferred. By account. */
  "visits",
  /** Rows of channels. By id. */
  "channels",
  /** Rows of one account's subscriptions. By channel. */
  "subscriptions",
  /** Which accounts guests see; shared while events about accounts are sent. By organization. */
  "userVisibility",
  /** Rows of devices that push notifications go to. By id. */
  "devices",
  /** Rows of an account's push tokens of the older kind. By id. */
  "legacyPushTokens",
  /** Deletions of an account's messages: an unfinished one absorbs further requests. By account. */
  "deletions",
  /** Rows of messages that are removed or changed. By id. */
  "messages",
  /** Rows of copies of messages. By account, and of one account by message. */
  "copies",
  /** Accounts' policies for topics that are moved or renamed. By account. */
  "topicPolicies",
  /** New direct conversations: another transaction that creates the same one waits. */
  "conversations",
  /** The count of scheduled messages near the bound. By account. */
  "pendingMessages",
  /** Rows of uploaded files: shared while something begins to refer to them. By id. */
  "attachments",
  /** The bytes of an organization's uploads. By organization. */
  "storage",
  /** A bot's storage. By bot. */
  "botStorage",
  /** The contents of the next mails about missed messages. By account. */
  "missedMails",
  /** An account's status and presence. By account. */
  "ownState",
  /** Versions of alert words. By organization. */
  "alertWords",
  /** Presence update ids. By organization. */
  "presence",
  /** Held while the event subscriptions of an organization are counted and one is created. By organization. */
  "newSubscriptions",
  /** Rows of event subscriptions that are changed, or whose calls begin or end. By id. */
  "eventSubscriptions",
  /** The head of the organization's log, with the commit. By organization. */
  "eventHead",
] as const;

export type LockName = (typeof lockOrder)[number];

/** A lock, or several of one kind, to be taken. */
export interface Lock {
  readonly name: LockName;
  /**
   * The keys that {@link lockOrder} names. Left out when only the statement knows them: its rows then have an `id` each,
   * and no lock of this kind may be held yet.
   */
  readonly keys?: readonly number[];
  /** Whether other transactions may hold it shared, too. */
  readonly shared?: boolean;
  /**
   * Whether the keys are unknown: the rows are new, and only transactions that create the same rows wait for them; or
   * there are too many rows for the statement to return.
   */
  readonly fresh?: boolean;
}
