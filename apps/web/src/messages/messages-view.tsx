import { useEffect, useMemo } from "preact/hooks";
import { operandOf, type Term } from "../route.ts";
import { keyOf, othersOf } from "../store/conversation.ts";
import type { Organization } from "../store/organization.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { titleOf } from "./conversation-link.tsx";
import { MessageList } from "./message-list.tsx";
import { MessageWindow } from "./message-window.ts";

export interface MessagesViewProps {
  readonly terms: readonly Term[];
  readonly near: number | null;
}

/** The messages of a narrow. */
export function MessagesView({ terms, near }: MessagesViewProps) {
  const organization = useOrganization();
  const messages = useMemo(
    () => new MessageWindow(organization, terms, near),
    [organization, terms, near],
  );
  useEffect(() => {
    messages.open();
    return () => messages.close();
  }, [messages]);
  return (
    <MessageList
      messages={messages}
      isMixed={operandOf(terms, "topic") === undefined && operandOf(terms, "dm") === undefined}
      unsent={unsentOf(terms, organization)}
    />
  );
}

/** Returns the name of a view. */
export function viewTitle(terms: readonly Term[], organization: Organization): string {
  const channelId = operandOf(terms, "channel");
  const topic = operandOf(terms, "topic");
  const dm = operandOf(terms, "dm");
  if (typeof dm === "object")
    return titleOf({ others: othersOf(dm, organization.me) }, organization);
  if (typeof channelId === "number" && typeof topic === "string")
    return titleOf({ channelId, topic }, organization);
  if (typeof channelId === "number")
    return `#${organization.channels.nameOf(channelId) ?? texts.messages.unknownChannel}`;
  const kind = operandOf(terms, "is");
  if (kind === "mentioned") return texts.sidebar.mentions;
  if (kind === "starred") return texts.sidebar.starred;
  if (kind === "dm") return texts.sidebar.direct;
  if (terms.length === 0) return texts.sidebar.all;
  return terms.map(({ operator, operand }) => `${operator}: ${String(operand)}`).join(" ");
}

/** The messages on their way that belong to the view. */
function unsentOf(terms: readonly Term[], { outbox, me }: Organization) {
  const dm = operandOf(terms, "dm");
  const channelId = operandOf(terms, "channel");
  const topic = operandOf(terms, "topic");
  return outbox.items.value.filter(({ conversation }) => {
    if (terms.length === 0) return true;
    if ("others" in conversation)
      return typeof dm === "object" && keyOf(conversation) === keyOf({ others: othersOf(dm, me) });
    return (
      conversation.channelId === channelId &&
      (topic === undefined || keyOf(conversation) === keyOf({ channelId, topic: String(topic) }))
    );
  });
}
