import type { EditHistoryEntry, MessageResource } from "@carillon/contract";
import { isMeMessage, topicLinks } from "@carillon/markdown";

import { linkifiersOf, type Realm } from "../realms.ts";
import { hostOf, type Viewer } from "../users/addresses.ts";
import { pictureUrl } from "../users/avatar.ts";
import type { UserVisibility } from "../users/user-visibility.ts";
import { editFields } from "./edit-history.ts";
import { type Person, unknownPerson } from "./people.ts";
import type { Reaction } from "./reactions.ts";
import type { Submessage } from "./submessages.ts";
import { topicShownBy } from "./topic.ts";

/** A message with everything that its presentation needs, for any viewer. */
export interface PresentableMessage {
  readonly id: number;
  /** UNIX time in seconds; fractions are truncated. */
  readonly sentAt: number;
  readonly sender: Person;
  /** Name of the client program that sent it. */
  readonly client: string;
  readonly recipientId: number;
  /** A channel and a topic, or all participants including the sender. */
  readonly place:
    | { readonly channel: { readonly id: number; readonly name: string }; readonly topic: string }
    | { readonly participants: readonly Participant[] };
  /** Markdown, as written. */
  readonly content: string;
  /** Rendered HTML. */
  readonly renderedContent: string;
}

/** A stored message. */
export interface StoredMessage extends PresentableMessage {
  /** Newest entry first; null if nothing has changed. */
  readonly editHistory: readonly EditHistoryEntry[] | null;
  /** Oldest first. */
  readonly reactions: readonly Reaction[];
  /** The accounts that have reacted, by id, for client programs that need them; undefined for others. */
  readonly reactors?: ReadonlyMap<number, Person> | undefined;
  /** Ascending. */
  readonly submessages: readonly Submessage[];
}

type Participant = Pick<Person, "id" | "email" | "fullName" | "isImportedStub">;

/** The format of messages that a client requests. */
export interface MessageForm {
  readonly realm: Pick<Realm, "emptyTopicDisplayName">;
  readonly applyMarkdown: boolean;
  readonly clientGravatar: boolean;
  /** `PUBLIC_URL` */
  readonly siteUrl: string;
  readonly viewer: Viewer;
  readonly allowEmptyTopicName: boolean;
}

/** How messages are presented to one viewer and client. */
export interface Presentation extends MessageForm {
  readonly realm: Pick<
    Realm,
    "subdomain" | "emptyTopicDisplayName" | "editHistoryPolicy" | "linkifiers"
  >;
  /** Which users the viewer can see. */
  readonly userVisibility: UserVisibility;
}

/*
 * Presents thousands of messages at once: `Object.assign` takes a fiftieth of the time of an object literal with
 * several spreads.
 */

/**
 * Converts a message to its wire format (messages.md §1.4).
 * @param flags names of the viewer's flags
 */
export function presentMessage(
  stored: StoredMessage,
  flags: readonly string[],
  presentation: Presentation,
): MessageResource {
  const { realm, allowEmptyTopicName, userVisibility } = presentation;
  const message = userVisibility.isRestricted ? asSeen(stored, presentation) : stored;
  return Object.assign(
    commonFields(message, realm),
    formFields(formSourceOf(message), presentation),
    {
      flags: [...flags],
      reactions: reactionObjects(message, presentation),
      submessages: message.submessages.map(submessageObject),
    },
    editFields(message.editHistory, {
      policy: realm.editHistoryPolicy,
      showTopic: topicShownBy(realm, allowEmptyTopicName),
    }),
  );
}

/** Replaces a sender that the viewer, a guest, cannot see, for example because the sender has left the channel. */
function asSeen(
  message: StoredMessage,
  { userVisibility, siteUrl, realm }: Presentation,
): StoredMessage {
  const { sender } = message;
  if (userVisibility.sees(sender)) return message;
  return { ...message, sender: unknownPerson(sender.id, hostOf({ url: siteUrl }, realm)) };
}

type FormField = "subject" | "avatar_url" | "content" | "content_type";

/** Returns the fields of a new message that are equal for every viewer and client. */
export function commonFields(
  message: PresentableMessage,
  realm: Pick<Realm, "subdomain" | "linkifiers">,
): Omit<MessageResource, FormField | "flags"> {
  const { sender } = message;
  return Object.assign(placeFields(message.place, realm), {
    id: message.id,
    recipient_id: message.recipientId,
    sender_id: sender.id,
    sender_email: sender.email,
    sender_full_name: sender.fullName,
    sender_realm_str: realm.subdomain,
    timestamp: Math.floor(message.sentAt),
    client: message.client,
    is_me_message: isMeMessage(message.content),
    reactions: [],
    submessages: [],
  });
}

function placeFields(place: PresentableMessage["place"], realm: Pick<Realm, "linkifiers">) {
  return "channel" in place
    ? {
        type: "stream" as const,
        stream_id: place.channel.id,
        display_recipient: place.channel.name,
        topic_links: topicLinks(place.topic, linkifiersOf(realm)),
      }
    : {
        type: "private" as const,
        display_recipient: place.participants.toSorted((a, b) => a.id - b.id).map(participant),
        topic_links: [],
      };
}

/** The data for the fields that depend on the client. */
export interface FormSource extends Pick<Person, "picture" | "hasPublicGravatar"> {
  /** undefined for direct messages */
  readonly topic: string | undefined;
  readonly content: string;
  readonly renderedContent: string;
}

function formSourceOf({ sender, place, content, renderedContent }: StoredMessage): FormSource {
  const { picture, hasPublicGravatar } = sender;
  const topic = "channel" in place ? place.topic : undefined;
  return { topic, content, renderedContent, picture, hasPublicGravatar };
}

/** Returns the fields that depend on the client's requested format. */
export function formFields(
  source: FormSource,
  { realm, siteUrl, viewer, applyMarkdown, clientGravatar, allowEmptyTopicName }: MessageForm,
): Pick<MessageResource, FormField> {
  const { topic, content, renderedContent } = source;
  return {
    subject: topic === undefined ? "" : topicShownBy(realm, allowEmptyTopicName)(topic),
    avatar_url:
      clientGravatar && source.hasPublicGravatar
        ? null
        : pictureUrl(siteUrl, source.picture, viewer),
    content: applyMarkdown ? renderedContent : content,
    content_type: applyMarkdown ? "text/html" : "text/x-markdown",
  };
}

function participant(person: Participant) {
  return {
    id: person.id,
    email: person.email,
    full_name: person.fullName,
    is_mirror_dummy: person.isImportedStub,
  };
}

function reactionObjects(
  { reactions, reactors }: StoredMessage,
  { userVisibility, siteUrl, realm }: Presentation,
): MessageResource["reactions"] {
  if (!reactors) return reactions.map(reactionObject);
  return reactions.map((reaction) => {
    const id = reaction.userId;
    const known = reactors.get(id);
    const { email, fullName } =
      known && userVisibility.sees(known)
        ? known
        : unknownPerson(id, hostOf({ url: siteUrl }, realm));
    return { user: { id, email, full_name: fullName }, ...reactionObject(reaction) };
  });
}

function reactionObject({ name, code, type, userId }: Reaction) {
  return { emoji_name: name, emoji_code: code, reaction_type: type, user_id: userId };
}

/** Converts a submessage to its wire format. */
export function submessageObject({ id, messageId, senderId, type, content }: Submessage) {
  return { id, message_id: messageId, sender_id: senderId, msg_type: type, content };
}
