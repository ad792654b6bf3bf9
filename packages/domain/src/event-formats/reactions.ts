import type { LoggedFields, reactionAdded, reactionRemoved } from "@carillon/contract";
import { unknownAddress, unknownName } from "@carillon/model";
import type { Format } from "./outgoing-event.ts";

/** `reaction`: for programs that need it with who it is, as the receiver sees them. */
export const formatReaction: Format<typeof reactionAdded | typeof reactionRemoved> = (outgoing) => {
  const { reactor, unseen_reactor: unseen, ...fields }: Received = outgoing.fields;
  if (!outgoing.needs("reaction_user")) return [outgoing.tell(fields)];
  const { user_id } = fields;
  const shown =
    reactor && !unseen
      ? reactor
      : { email: unknownAddress(user_id, outgoing.context.host), full_name: unknownName };
  return [outgoing.tellOlder("reaction_user", { ...fields, user: { user_id, ...shown } })];
};

/** Rows of old do not say who it is. */
type Received = Omit<LoggedFields<typeof reactionAdded>, "reactor"> &
  Partial<Pick<LoggedFields<typeof reactionAdded>, "reactor">> & {
    readonly unseen_reactor?: true | undefined;
  };
