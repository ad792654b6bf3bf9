import type { CheckedMessage } from "@carillon/model";

/** Estimates how many copies a message has; a transaction has a limit of copies. */
export function copiesOf({ target }: Pick<CheckedMessage, "target">): number {
  return target.kind === "channel" ? target.channel.subscriberCount : target.members.length;
}

/** Counts the rows that the message writes; infinite for a message that must be the last of its batch. */
export function countCopies(message: CheckedMessage): number {
  return message.rendered.topicWildcard ? Number.POSITIVE_INFINITY : copiesOf(message);
}
