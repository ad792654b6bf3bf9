import type { Route } from "../route.ts";
import { routeOf } from "../store/conversation.ts";
import type { Organization } from "../store/organization.ts";
import { unmutedUnread } from "../store/unmuted-unread.ts";

/** Returns the conversation whose oldest unread message is the oldest of all; muted topics are left out. */
export function nextUnread(organization: Organization): Route | undefined {
  const [next] = unmutedUnread(organization)
    .map(({ conversation, ids }) => ({ conversation, first: Math.min(...[...ids].slice(0, 100)) }))
    .toSorted((a, b) => a.first - b.first);
  return next && routeOf(next.conversation, organization.me);
}
