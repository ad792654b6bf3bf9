import type { CheckedMessage } from "@carillon/model";

/** How many copies a message has, about: of what goes together there is a bound. */
export function copiesOf({ target }: Pick<CheckedMessage, "target">): number {
  return target.kind === "channel" ? target.channel.subscriberCount : target.members.length;
}
