import { texts } from "../texts.ts";
import type { Conversation } from "./conversation.ts";
import type { Organization } from "./organization.ts";

/** Returns the name of a conversation: channel and topic, or people. */
export function titleOf(conversation: Conversation, organization: Organization): string {
  const { people } = organization;
  if ("others" in conversation) {
    const names = conversation.others.map(
      (id) => people.nameOf(id) ?? texts.messages.unknownPerson,
    );
    return names.join(", ") || texts.messages.noteToSelf;
  }
  const channel = channelTitle(conversation.channelId, organization);
  return `${channel} › ${conversation.topic || texts.sidebar.noTopic}`;
}

export function channelTitle(id: number, { channels }: Organization): string {
  return `#${channels.nameOf(id) ?? texts.messages.unknownChannel}`;
}
