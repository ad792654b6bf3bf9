import type { Letter } from "@carillon/mail";
import { topicPath } from "@carillon/markdown";

import type { PushedMessage } from "../notifications/pushed-messages.ts";

/** The missed messages of one conversation. */
export interface MissedConversation {
  readonly place: PushedMessage["place"];
  /** Names of the other participants of a direct conversation, or of the first of them. */
  readonly names: readonly string[];
  /** How many participants are not named. */
  readonly furtherMembers: number;
  /** Ascending. */
  readonly messages: ReadonlyArray<
    Pick<PushedMessage, "id" | "time" | "content"> & { readonly senderName: string }
  >;
}

/** The content of a mail about missed messages. */
export interface MissedFacts {
  readonly person: {
    /** Name of the organization. */
    readonly name: string;
    readonly fullName: string;
    /** IANA name; empty if unknown. */
    readonly timezone: string;
    readonly emptyTopicDisplayName: string;
    /** Whether contents, senders and conversations may be shown. */
    readonly showsContent: boolean;
    /** Whether the subject names the organization. */
    readonly namesRealm: boolean;
  };
  /** Address of the organization. */
  readonly url: string;
  readonly unsubscribeUrl: string;
  /** Empty if `showsContent` is false. */
  readonly conversations: readonly MissedConversation[];
  readonly count: number;
  /** False if `count` is only an upper bound. */
  readonly isExact: boolean;
  /** Number of missed messages that the mail does not show; 0 if it shows none. */
  readonly left: number;
}

/**
 * Writes the subject and the text. Each line of a message's content begins with `> `, so that it cannot pose as the
 * server's text.
 */
export function missedText(facts: MissedFacts): Pick<Letter, "subject" | "text"> {
  const { person, url, unsubscribeUrl, conversations, left } = facts;
  const { name, fullName, showsContent } = person;
  const body = showsContent
    ? [
        ...conversations.map((conversation) => conversationText(facts, conversation)),
        ...(left > 0 ? [`${facts.isExact ? "" : "Up to "}${messages(left)} more: ${url}`] : []),
      ]
    : [
        `Read them at ${url}`,
        "This mail does not show them, because your settings or your organization do not allow it.",
      ];
  const paragraphs = [
    `Hello ${fullName},`,
    `you have missed ${facts.isExact ? "" : "up to "}${messages(facts.count)} at ${name}.`,
    ...body,
    "-- ",
  ];
  const footer = [
    "Replies to this mail are not read: answer in the organization.",
    `Which messages you are mailed about: ${url}/#settings/notifications`,
    `No more mails about missed messages: ${unsubscribeUrl}`,
  ];
  return {
    subject: `${person.namesRealm ? `[${name}] ` : ""}${subjectOf(facts)}`,
    text: `${paragraphs.join("\n\n")}\n${footer.join("\n")}\n`,
  };
}

function subjectOf({ person, conversations, count }: MissedFacts): string {
  const [first, second] = conversations;
  if (!first || !person.showsContent) return "New messages";
  if (second) return `${count} missed messages in several conversations`;
  return first.place.kind === "direct"
    ? `Direct messages with ${namesOf(first)}`
    : placeName(first.place, person.emptyTopicDisplayName);
}

function conversationText(
  { person, url }: MissedFacts,
  { messages: missed, ...conversation }: MissedConversation,
): string {
  const { place } = conversation;
  const title =
    place.kind === "direct"
      ? `Direct messages with ${namesOf(conversation)}`
      : placeName(place, person.emptyTopicDisplayName);
  const path =
    place.kind === "direct"
      ? `/#narrow/dm/${place.memberIds.join(",")}-dm`
      : topicPath(place, place.topic);
  const parts = missed.map(
    ({ senderName, time, content }) =>
      `${oneLine(senderName)}, ${timeText(time, person.timezone)}:\n${quoted(content)}`,
  );
  return [`${oneLine(title)}\n${url}${path}/near/${missed[0]!.id}`, ...parts].join("\n\n");
}

function namesOf({
  names,
  furtherMembers,
}: Pick<MissedConversation, "names" | "furtherMembers">): string {
  if (names.length === 0) return "yourself";
  return furtherMembers > 0 ? `${names.join(", ")} and ${furtherMembers} others` : names.join(", ");
}

function placeName(
  place: { readonly name: string; readonly topic: string },
  emptyTopicName: string,
): string {
  return `#${place.name} > ${place.topic === "" ? emptyTopicName : place.topic}`;
}

function messages(count: number): string {
  return count === 1 ? "1 message" : `${count} messages`;
}

function quoted(content: string): string {
  const lines = content.split(/\r\n|[\n\r\u2028\u2029]/);
  return lines.map((line) => `> ${withoutControls(line)}`.trimEnd()).join("\n");
}

function oneLine(text: string): string {
  return withoutControls(text.replaceAll(/[\n\r\u2028\u2029]/g, " "));
}

/** Replaces control characters, which terminals would execute, with spaces. */
function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}]/gu, " ");
}

/**
 * Writes a time in the time zone, or in UTC if the zone is empty or unknown, and adds the zone's name.
 * @param seconds UNIX seconds
 */
function timeText(seconds: number, timezone: string): string {
  const format = (timeZone: string) =>
    new Intl.DateTimeFormat("en-GB", {
      dateStyle: "medium",
      timeStyle: "short",
      timeZone,
    }).format(seconds * 1_000);
  try {
    if (timezone !== "") return `${format(timezone)} (${timezone})`;
  } catch {
    // The time zone is not known here.
  }
  return `${format("Etc/UTC")} (UTC)`;
}
