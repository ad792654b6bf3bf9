/**
 * What one request may carry (http-contract.md §8.1). A request over a bound is refused, and nothing is changed. The
 * bound of a single resource is declared beside its operations.
 */
export const bounds = {
  /** Accounts that a parameter names. */
  accounts: 10_000,
  /** Channels that one request subscribes accounts to or unsubscribes them from. */
  channels: 500,
  /** Channels that one of these requests creates. */
  newChannels: 100,
  /**
   * Rows that one request writes: accounts × channels, members and subgroups of permissions (× new channels), and
   * accounts × settings if an administrator changes settings of others. Writing them takes about half a second on
   * two cores and blocks the creation of groups in the organization.
   */
  rows: 10_000,
  /** Unsent scheduled messages and reminders of one account, failed ones included. */
  pendingMessages: 10_000,
  /** Names of sending programs (http-contract.md §9) that one account adds; further names are stored as `unknown`. */
  clientNames: 100,
  /** Subscribers of all channels of one request, unless it names a single channel. */
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
  /** Submessages of one account on one message: one account must not fill the poll, whose limit all accounts share. */
  submessagesOfAccount: 500,
  /** Characters of the widget that is sent with a message, as JSON: each reader of the message gets it. */
  widgetCharacters: 30_000,
  /**
   * Objects of an organization, archived and deactivated ones included, unless its operator allows more. Every
   * registration gets all of them: 2,000 channels with the longest descriptions are 11.6 MB of JSON, 2,000 groups 0.8
   * MB, 2,000 bots 1 MB.
   */
  organizationChannels: 2_000,
  organizationUserGroups: 2_000,
  organizationBots: 2_000,
  /**
   * Characters of HTML that the description of a channel or a folder may render to, and characters of markup that its
   * emoji and formulas may add to their source (about 20 emoji). Every registration gets all descriptions, those of
   * channels twice: with the allowance of a message, 1,024 emoji were 100 KB a channel.
   */
  descriptionHtml: 8_000,
  descriptionMarkup: 2_000,
  /** Code points of a user group's description: every registration gets all of them. */
  groupDescription: 1_024,
  /**
   * Objects that one person and their bots create within 24 hours, so that a single person cannot use up the bounds of
   * the organization. Administrators have no such bound.
   */
  channelsADay: 200,
  userGroupsADay: 100,
  botsADay: 50,
} as const;

/** The maximum length of a list, and the noun that a refusal uses for its items. */
export interface ItemLimit {
  readonly count: number;
  readonly of: string;
}

export const maxAccounts: ItemLimit = { count: bounds.accounts, of: "accounts" };
export const maxChannels: ItemLimit = { count: bounds.channels, of: "channels" };
export const maxGroups: ItemLimit = { count: bounds.accounts, of: "groups" };
export const maxMessages: ItemLimit = { count: bounds.messages, of: "messages" };

/** Returns a refusal, worded to follow the parameter's name, for a list that is too long; else undefined. */
export function overBound(value: unknown, limit: ItemLimit | undefined): string | undefined {
  if (!limit || !Array.isArray(value) || value.length <= limit.count) return undefined;
  return `must not name more than ${limit.count} ${limit.of} in one request`;
}
