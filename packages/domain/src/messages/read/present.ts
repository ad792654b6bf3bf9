import type { MessageResource } from "@carillon/contract";
import { isMeMessage, topicLinks } from "@carillon/markdown";

import type { Realm } from "../../realms/realm.ts";
import type { Person } from "./people.ts";

/** A message and everything that its presentation needs, whoever looks at it. */
export interface PresentableMessage {
  readonly id: number;
  /** UNIX time in seconds; a fraction is cut off. */
  readonly sentAt: number;
  readonly sender: Person;
  /** Name of the program that sent it. */
  readonly client: string;
  readonly recipientId: number;
  /** A channel and a topic, or all participants, the sender too. */
  readonly place:
    | { readonly channel: { readonly id: number; readonly name: string }; readonly topic: string }
    | { readonly participants: readonly Person[] };
  /** As it was written. */
  readonly content: string;
  /** As HTML. */
  readonly renderedContent: string;
}

/** How one viewer, with one client, gets messages. */
export interface Presentation {
  readonly realm: Pick<Realm, "subdomain" | "emptyTopicDisplayName">;
  readonly applyMarkdown: boolean;
  readonly clientGravatar: boolean;
  readonly allowEmptyTopicName: boolean;
}

/**
 * The message as clients get it (messages.md §1.4).
 * @param flags names of the viewer's flags
 */
export function presentMessage(
  message: PresentableMessage,
  flags: readonly string[],
  presentation: Presentation,
): MessageResource {
  const { sender, place } = message;
  const { realm, applyMarkdown, clientGravatar } = presentation;
  const where =
    "channel" in place
      ? {
          type: "stream" as const,
          stream_id: place.channel.id,
          display_recipient: place.channel.name,
          subject:
            place.topic === "" && !presentation.allowEmptyTopicName
              ? realm.emptyTopicDisplayName
              : place.topic,
          topic_links: topicLinks(place.topic),
        }
      : {
          type: "private" as const,
          display_recipient: place.participants.toSorted((a, b) => a.id - b.id).map(participant),
          subject: "",
          topic_links: [],
        };
  return {
    id: message.id,
    ...where,
    recipient_id: message.recipientId,
    sender_id: sender.id,
    sender_email: sender.email,
    sender_full_name: sender.fullName,
    sender_realm_str: realm.subdomain,
    avatar_url: clientGravatar && sender.hasPublicGravatar ? null : sender.avatarUrl,
    timestamp: Math.floor(message.sentAt),
    client: message.client,
    content: applyMarkdown ? message.renderedContent : message.content,
    content_type: applyMarkdown ? "text/html" : "text/x-markdown",
    is_me_message: isMeMessage(message.content),
    flags: [...flags],
    reactions: [],
    submessages: [],
  };
}

function participant(person: Person) {
  return {
    id: person.id,
    email: person.email,
    full_name: person.fullName,
    is_mirror_dummy: person.isImportedStub,
  };
}
