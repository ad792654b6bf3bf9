import type { Message } from "@carillon/client";
import { hashOf } from "../route.ts";
import { type Conversation, conversationOf, routeOf } from "../store/conversation.ts";
import type { Organization } from "../store/organization.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";

/** The line above messages of a conversation, which leads to it. */
export function ConversationLink({ message }: { readonly message: Message }) {
  const organization = useOrganization();
  const conversation = conversationOf(message, organization.me);
  return (
    <a class="conversation" href={hashOf(routeOf(conversation, organization.me, message.id))}>
      <bdi>{titleOf(conversation, organization)}</bdi>
    </a>
  );
}

/** Returns the name of a conversation: channel and topic, or people. */
export function titleOf(conversation: Conversation, organization: Organization): string {
  const { channels, people } = organization;
  if ("others" in conversation) {
    const names = conversation.others.map(
      (id) => people.nameOf(id) ?? texts.messages.unknownPerson,
    );
    return names.join(", ") || texts.messages.noteToSelf;
  }
  const name = channels.nameOf(conversation.channelId) ?? texts.messages.unknownChannel;
  return `#${name} › ${conversation.topic || texts.sidebar.noTopic}`;
}
