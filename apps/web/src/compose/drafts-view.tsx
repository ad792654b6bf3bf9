import { hashOf } from "../route.ts";
import { routeOf } from "../store/conversation.ts";
import { titleOf } from "../store/titles.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { conversationOfDraft } from "./draft-keeper.ts";
import { Icon } from "../ui/icon.tsx";

const t = texts.drafts;

/** The drafts that the server keeps for the account. */
export function DraftsView() {
  const organization = useOrganization();
  const { plans, me, client, notices } = organization;
  const drafts = plans.drafts.all().toSorted((a, b) => b.timestamp - a.timestamp);
  if (drafts.length === 0) return <p class="empty">{t.empty}</p>;
  return (
    <ul class="page drafts">
      {drafts.map((draft) => {
        const conversation = draft.type === "" ? undefined : conversationOfDraft(draft);
        return (
          <li key={draft.id} class="draft">
            <a href={conversation ? hashOf(routeOf(conversation, me)) : "#feed"}>
              <bdi class="draft-place">
                {conversation ? titleOf(conversation, organization) : t.nowhere}
              </bdi>
              <bdi class="draft-text">{draft.content}</bdi>
            </a>
            <Button
              kind="quiet"
              label={t.remove}
              onClick={() => notices.attempt(client.deleteDraft({ draft_id: draft.id }))}
            >
              <Icon name="close" />
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
