/** What one request may carry (http-contract.md §8.1). Over a bound it is refused, and nothing is changed. */
export const bounds = {
  /** Accounts that a parameter names. */
  accounts: 10_000,
  /** Channels that one request subscribes accounts to or unsubscribes them from. */
  channels: 500,
  /** Of them those that it creates. */
  newChannels: 100,
  /**
   * Rows that one request writes: accounts × channels, members and subgroups of permissions (× new channels), and
   * settings of others, accounts × settings. They take about half a second on two cores, in which nobody else in the
   * organization creates a group.
   */
  rows: 10_000,
  /** Messages of one account that are scheduled and not sent, failed ones too; reminders as well. */
  pendingMessages: 10_000,
  /** Names of sending programs (§9) that one account adds; further ones are not refused but stored as `unknown`. */
  clientNames: 100,
  /** Subscribers that the channels of one request have together, unless it names only one channel. */
  subscribers: 250_000,
  /** Messages whose flags one request changes: one statement writes them, and one event names them. */
  messages: 5_000,
  /** Messages that one request moves: one transaction does it, 1 s for another topic, 5 s and more for another channel. */
  movedMessages: 50_000,
  /** Emoji that one account has on one message: each reader of the message gets all of them. */
  reactions: 50,
  /** Submessages of one message, and characters of all of them: each reader of the message gets all of them. */
  submessages: 5_000,
  submessageCharacters: 1_000_000,
  /** Alert words of one account: each change tells its clients all of them. */
  alertWords: 10_000,
  /** Views, snippets and drafts of one account: every registration gets all of them. */
  navigationViews: 1_000,
  savedSnippets: 1_000,
  drafts: 1_000,
  /** Entries of a bot's storage that one request writes: each is a row, and 100,000 take some seconds. */
  storageEntries: 100_000,
  /** Folders of channels that an organization has, archived ones too: every registration gets all of them. */
  channelFolders: 500,
  /** Custom profile fields of an organization, and Unicode code points of what configures one: so do those. */
  profileFields: 100,
  profileFieldData: 20_000,
  /** Accounts that a profile value names, and characters of HTML that one renders to: everybody gets those of all. */
  profileUsers: 100,
  profileHtml: 50_000,
  /** Linkifiers of an organization, and instructions of their patterns: each text is read with all of them. */
  linkifiers: 100,
  linkifierInstructions: 2_000,
  /** Devices of one account, and tokens of the older kind: a further one takes the place of the oldest. */
  devices: 100,
  legacyPushTokens: 100,
  /** Characters of what a device's registration passes on to the push bouncer: its key, and a sealed token of up to 4,096. */
  bouncerPublicKey: 1_000,
  encryptedPushRegistration: 20_000,
} as const;

/** A list's greatest length, and how a refusal calls what is in it. */
export interface Most {
  readonly count: number;
  readonly of: string;
}

export const mostAccounts: Most = { count: bounds.accounts, of: "accounts" };
export const mostChannels: Most = { count: bounds.channels, of: "channels" };
export const mostGroups: Most = { count: bounds.accounts, of: "groups" };
export const mostMessages: Most = { count: bounds.messages, of: "messages" };
export const mostDrafts: Most = { count: bounds.drafts, of: "drafts" };
export const mostAlertWords: Most = { count: bounds.alertWords, of: "alert words" };
export const mostChannelFolders: Most = { count: bounds.channelFolders, of: "channel folders" };
export const mostLinkifiers: Most = { count: bounds.linkifiers, of: "linkifiers" };

export const mostProfileFields: Most = { count: bounds.profileFields, of: "profile fields" };

/** Worded to follow the parameter's name; undefined where the value is no longer than that, or no list. */
export function overBound(value: unknown, most: Most | undefined): string | undefined {
  if (!most || !Array.isArray(value) || value.length <= most.count) return undefined;
  return `must not name more than ${most.count} ${most.of} in one request`;
}
