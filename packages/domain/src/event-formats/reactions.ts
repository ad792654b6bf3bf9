import type { LoggedFields, reactionAdded, reactionRemoved } from "@carillon/contract";
import { unknownUser } from "@carillon/model";
import type { Format } from "./outgoing-event.ts";

/** `reaction`: for programs that need it with who it is, as the receiver sees them. */
export const formatReaction: Format<typeof reactionAdded | typeof reactionRemoved> = (outgoing) => {
  const { reactor, unseen_reactor: unseen, ...fields }: Received = outgoing.fields;
  if (!outgoing.needs("reaction_user")) return [outgoing.tell(fields)];
  const { user_id } = fields;
  const { host, siteUrl } = outgoing.context;
  const { email, full_name } = reactor && !unseen ? reactor : unknownUser(user_id, host, siteUrl);
  return [outgoing.tellOlder("reaction_user", { ...fields, user: { user_id, email, full_name } })];
};

/** Rows of old do not say who it is. */
type Received = Omit<LoggedFields<typeof reactionAdded>, "reactor"> &
  Partial<Pick<LoggedFields<typeof reactionAdded>, "reactor">> & {
    readonly unseen_reactor?: true | undefined;
  };
