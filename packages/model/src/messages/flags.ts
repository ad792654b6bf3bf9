/** Bits of `user_messages.flags` (messages.md §3). All except `collapsed` are used in partial indexes. */
export const flag = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  streamWildcardMentioned: 16,
  topicWildcardMentioned: 32,
  hasAlertWord: 64,
  historical: 128,
  /** A direct message. Internal, never sent. */
  direct: 256,
  /**
   * The message was pushed to the account's devices, and must be removed from them (push.md §9). Internal, never sent.
   */
  activeMobilePush: 512,
} as const;

/** The bits of all kinds of mentions. */
export const anyMention =
  flag.mentioned | flag.streamWildcardMentioned | flag.topicWildcardMentioned;

const names: ReadonlyArray<readonly [bit: number, name: string]> = [
  [flag.read, "read"],
  [flag.starred, "starred"],
  [flag.collapsed, "collapsed"],
  [flag.mentioned, "mentioned"],
  [flag.streamWildcardMentioned, "stream_wildcard_mentioned"],
  [flag.topicWildcardMentioned, "topic_wildcard_mentioned"],
  [flag.streamWildcardMentioned | flag.topicWildcardMentioned, "wildcard_mentioned"],
  [flag.hasAlertWord, "has_alert_word"],
  [flag.historical, "historical"],
];

/** Returns the wire names of the flags; `wildcard_mentioned` stands for either wildcard. */
export function flagNames(bits: number): string[] {
  return names.filter(([bit]) => (bits & bit) !== 0).map(([, name]) => name);
}
