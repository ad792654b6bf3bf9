import { useLayoutEffect, useMemo } from "preact/hooks";
import { operandOf, type Term } from "../route.ts";
import { type Conversation, keyOf, othersOf } from "../store/conversation.ts";
import type { Organization } from "../store/organization.ts";
import { useOrganization } from "../store/use-organization.ts";
import { MessageDialogs } from "./message-dialogs.tsx";
import { followEvents } from "./follow-events.ts";
import { followMoves } from "./follow-move.ts";
import { handleMessageKeys } from "./message-keys.ts";
import { MessageList } from "./message-list.tsx";
import { MessageWindow } from "./message-window.ts";
import { TypingLine } from "./typing-line.tsx";
import { ViewContext } from "./view.ts";

export interface MessagesViewProps {
  readonly terms: readonly Term[];
  readonly near: number | null;
  readonly onReply: (conversation: Conversation) => void;
}

/** The messages of a narrow. */
export function MessagesView({ terms, near, onReply }: MessagesViewProps) {
  const organization = useOrganization();
  const conversation = conversationOfTerms(terms, organization.me);
  const view = useMemo(
    () => ({
      messages: new MessageWindow(organization, terms, near),
      isMixed: operandOf(terms, "topic") === undefined && operandOf(terms, "dm") === undefined,
      onReply,
    }),
    [organization],
  );
  // A layout effect requests the messages before the browser draws the view.
  useLayoutEffect(() => {
    const endEvents = followEvents(organization, terms, view.messages);
    void view.messages.load();
    const endKeys = handleMessageKeys(organization, view);
    // Listens after the list, which has removed by then what has moved.
    const endFollowing = conversation && followMoves(organization, view.messages, conversation);
    return () => {
      endEvents();
      endKeys();
      endFollowing?.();
      view.messages.close();
    };
  }, [view]);
  return (
    <ViewContext.Provider value={view}>
      <MessageList unsent={unsentOf(terms, organization)} />
      <MessageDialogs />
      {conversation && <TypingLine conversation={conversation} />}
    </ViewContext.Provider>
  );
}

/** Returns the conversation that a view shows, if it is one. */
function conversationOfTerms(terms: readonly Term[], me: number): Conversation | undefined {
  const people = operandOf(terms, "dm");
  const channelId = operandOf(terms, "channel");
  const topic = operandOf(terms, "topic");
  if (typeof people === "object") return { others: othersOf(people, me) };
  if (typeof channelId === "number" && typeof topic === "string") return { channelId, topic };
  return undefined;
}

/** The messages on their way that belong to the view. */
function unsentOf(terms: readonly Term[], { outbox, me }: Organization) {
  const shown = conversationOfTerms(terms, me);
  const channelId = operandOf(terms, "channel");
  return outbox.items.value.filter(({ conversation }) => {
    if (terms.length === 0) return true;
    if (shown) return keyOf(conversation) === keyOf(shown);
    return "channelId" in conversation && conversation.channelId === channelId;
  });
}
