import type { CheckedMessage } from "@carillon/model";

/** Estimates how many copies a message has; a transaction has a limit of copies. */
export function copiesOf({ target }: Pick<CheckedMessage, "target">): number {
  return target.kind === "channel" ? target.channel.subscriberCount : target.members.length;
}
