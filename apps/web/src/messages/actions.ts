import type { Message } from "@carillon/client";
import { copyText } from "../clipboard.ts";
import { hashOf } from "../route.ts";
import { conversationOf, routeOf } from "../store/conversation.ts";
import type { Organization } from "../store/organization.ts";
import { texts } from "../texts.ts";

type Reacted = Pick<Message["reactions"][number], "emoji_name" | "emoji_code" | "reaction_type">;

/** Adds a reaction, or takes it back if the account has it already. */
export async function react(organization: Organization, message: Message, emoji: Reacted) {
  const { emoji_name, emoji_code, reaction_type } = emoji;
  const params = { message_id: message.id, emoji_name, emoji_code, reaction_type };
  const isThere = message.reactions.some(
    (one) =>
      one.user_id === organization.me &&
      one.emoji_code === emoji_code &&
      one.reaction_type === reaction_type,
  );
  await (isThere
    ? organization.client.removeReaction(params)
    : organization.client.addReaction(params));
}

export async function toggleStar({ client }: Organization, { id, flags }: Message) {
  const op = flags.includes("starred") ? "remove" : "add";
  await client.updateMessageFlags({ messages: [id], op, flag: "starred" });
}

const checkMark = "✔ ";

export function isResolved({ subject }: Message): boolean {
  return subject.startsWith(checkMark);
}

/** Marks the topic of a message as resolved, or takes the mark away. */
export async function toggleResolved({ client }: Organization, message: Message) {
  const topic = isResolved(message)
    ? message.subject.replace(/^(?:✔ )+/, "")
    : checkMark + message.subject;
  await client.updateMessage({ message_id: message.id, topic, propagate_mode: "change_all" });
}

/** Marks a message and the later ones of its conversation as unread. */
export async function markUnreadFrom({ client, me, reader }: Organization, message: Message) {
  const route = routeOf(conversationOf(message, me), me);
  if (route.page !== "messages") return;
  await reader.leaveUnread(message.id);
  await client.updateMessageFlagsForNarrow({
    anchor: String(message.id),
    num_before: 0,
    num_after: 5_000,
    narrow: route.terms,
    op: "remove",
    flag: "read",
  });
}

/** Copies the address of a message. @throws Error if the browser does not allow it */
export async function copyLink({ me }: Organization, message: Message) {
  const hash = hashOf(routeOf(conversationOf(message, me), me, message.id));
  const isCopied = await copyText(location.origin + location.pathname + hash);
  if (!isCopied) throw new Error(texts.messages.notCopied);
}
