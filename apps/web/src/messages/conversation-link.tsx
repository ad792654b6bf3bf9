import type { Message } from "@carillon/client";
import { Inline } from "../html/inline.tsx";
import { hashOf } from "../route.ts";
import { conversationOf, routeOf } from "../store/conversation.ts";
import { channelTitle, titleOf } from "../store/titles.ts";
import { useOrganization } from "../store/use-organization.ts";

/** The line above the messages of a conversation, with a link to it. In search results, the topic has the found words marked. */
export function ConversationLink({ message }: { readonly message: Message }) {
  const organization = useOrganization();
  const conversation = conversationOf(message, organization.me);
  const { match_subject: found = "" } = message;
  return (
    <a class="conversation" href={hashOf(routeOf(conversation, organization.me, message.id))}>
      {"channelId" in conversation && found !== "" ? (
        <bdi class="rendered">
          {channelTitle(conversation.channelId, organization)} › <Inline html={found} />
        </bdi>
      ) : (
        <bdi>{titleOf(conversation, organization)}</bdi>
      )}
    </a>
  );
}
