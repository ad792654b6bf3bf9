import type { WithheldMessage } from "@carillon/client";
import { hashOf } from "../route.ts";
import { routeOf } from "../store/conversation.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { conversationOf } from "./actions.ts";
import { Entry, When } from "./entry.tsx";

const t = texts.schedule;

/** A message that was not sent because a condition held. */
export function WithheldEntry({ message }: { readonly message: WithheldMessage }) {
  const { me } = useOrganization();
  const place = conversationOf(message, me);
  return (
    <Entry
      place={place}
      head={<When seconds={message.withheld_timestamp} isOver />}
      text={message.content}
      kind="withheld"
    >
      <p class="entry-reason">
        <strong>{t.notSent}</strong> {t.withheldBecause[message.condition.kind]}{" "}
        {message.message_id !== null && (
          <a href={hashOf(routeOf(place, me, message.message_id))}>{t.theReply}</a>
        )}
      </p>
    </Entry>
  );
}
