import { useEffect, useMemo } from "preact/hooks";
import { Compose } from "./compose/compose.tsx";
import { ComposeState } from "./compose/compose-state.ts";
import { handleKeys } from "./keyboard.ts";
import { MessagesView } from "./messages/messages-view.tsx";
import { hashOf, type Route } from "./route.ts";
import { useOrganization } from "./store/use-organization.ts";

export interface ConversationsProps {
  readonly to: Extract<Route, { page: "messages" }>;
}

/** A view of messages with the form to write one. */
export function Conversations({ to }: ConversationsProps) {
  const organization = useOrganization();
  const viewKey = hashOf({ ...to, near: null });
  const compose = useMemo(
    () => new ComposeState(organization, to.terms, viewKey),
    [organization, viewKey],
  );
  useEffect(() => handleKeys({ compose: () => compose.focus() }), [compose]);
  return (
    <>
      <MessagesView
        key={hashOf(to)}
        terms={to.terms}
        near={to.near}
        onReply={(conversation) => compose.replyTo(conversation)}
      />
      <Compose key={`compose ${viewKey}`} state={compose} />
    </>
  );
}
