/**
 * What one request may carry (http-contract.md §8.1). A request over a bound is refused, and nothing is changed. The
 * bound of a single resource is declared beside its operations.
 */
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
  /** Characters of the widget that is sent with a message, as JSON: each reader of the message gets it. */
  widgetCharacters: 30_000,
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

/** Worded to follow the parameter's name; undefined where the value is no longer than that, or no list. */
export function overBound(value: unknown, most: Most | undefined): string | undefined {
  if (!most || !Array.isArray(value) || value.length <= most.count) return undefined;
  return `must not name more than ${most.count} ${most.of} in one request`;
}
