import { hashOf } from "../route.ts";
import { routeOf } from "../store/conversation.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";

/** The drafts that the server keeps for the account. */
export function DraftsView() {
  const { plans, me } = useOrganization();
  const drafts = plans.drafts.all().toSorted((a, b) => b.timestamp - a.timestamp);
  if (drafts.length === 0) return <p class="empty">{texts.drafts.empty}</p>;
  return (
    <ul class="page drafts">
      {drafts.map(({ id, type, to, topic, content }) => {
        const conversation = type === "private" ? { others: to } : { channelId: to[0] ?? 0, topic };
        return (
          <li key={id}>
            <a href={hashOf(routeOf(conversation, me))}>
              <bdi>{content}</bdi>
            </a>
          </li>
        );
      })}
    </ul>
  );
}
