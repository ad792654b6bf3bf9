import { keyOf, routeOf } from "../store/conversation.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { overlay } from "../overlay.ts";
import { PresenceDot } from "../people/presence-dot.tsx";
import { SidebarLink } from "./link.tsx";

/** How many conversations are shown in addition to those with unread messages. */
const shown = 15;

/** The latest direct conversations. */
export function DirectList() {
  const { conversations, unread, people, me } = useOrganization();
  const listed = conversations.recent.value.filter(
    (conversation, index) => index < shown || unread.countOf(conversation) > 0,
  );
  return (
    <section class="sidebar-section">
      <div class="sidebar-head">
        <h2>{texts.sidebar.direct}</h2>
        <Button
          kind="quiet"
          label={texts.sidebar.newDirect}
          onClick={() => (overlay.value = { kind: "people" })}
        >
          <Icon name="plus" />
        </Button>
      </div>
      {listed.map(({ others }) => (
        <SidebarLink
          key={keyOf({ others })}
          to={routeOf({ others }, me)}
          unread={unread.countOf({ others })}
        >
          {others.length === 1 && <PresenceDot id={others[0] ?? 0} />}
          <bdi>
            {others.map((id) => people.nameOf(id) ?? texts.messages.unknownPerson).join(", ") ||
              texts.messages.noteToSelf}
          </bdi>
        </SidebarLink>
      ))}
    </section>
  );
}
