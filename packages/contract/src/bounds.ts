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
  /** Submessages of one account on one message: a single account must not use up what a poll takes. */
  submessagesOfAccount: 500,
  /** Characters of the widget that is sent with a message, as JSON: so does each reader. */
  widgetCharacters: 30_000,
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
  /**
   * What an organization has, archived and deactivated ones included, unless its operator allows more: every registration
   * gets all of them. 2,000 channels with the longest descriptions are 11.6 MB of JSON, as many groups 0.8 MB, bots 1 MB.
   */
  organizationChannels: 2_000,
  organizationUserGroups: 2_000,
  organizationBots: 2_000,
  /**
   * Characters of HTML that the description of a channel or a folder renders to, and those that its emoji, formulas and
   * the like may have beyond their source (about 20 emoji). Every registration gets all of them, channels twice: of 1,024
   * emoji with the allowance of a message they were 100 KB a channel.
   */
  descriptionHtml: 8_000,
  descriptionMarkup: 2_000,
  /** Code points of what a user group says of itself: every registration gets all of them. */
  groupDescription: 1_024,
  /**
   * What one person makes within 24 hours, with what their bots make: one alone cannot fill the organization. Administrators
   * are trusted with the whole of it.
   */
  channelsADay: 200,
  userGroupsADay: 100,
  botsADay: 50,
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
