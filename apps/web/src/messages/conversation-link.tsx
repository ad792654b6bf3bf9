import type { Message } from "@carillon/client";
import { hashOf } from "../route.ts";
import { conversationOf, routeOf } from "../store/conversation.ts";
import { titleOf } from "../store/titles.ts";
import { useOrganization } from "../store/use-organization.ts";

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
