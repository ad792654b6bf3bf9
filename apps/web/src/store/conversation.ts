import type { Route, Term } from "../route.ts";

/** Where a message is: in a topic of a channel, or between people. */
export type Conversation =
  | { readonly channelId: number; readonly topic: string }
  /** Everyone else, in ascending order; empty for notes to oneself. */
  | { readonly others: readonly number[] };

/** The fields of a message that name its conversation. */
interface Placed {
  readonly stream_id?: number;
  readonly subject: string;
  readonly display_recipient: string | ReadonlyArray<{ readonly id: number }>;
}

export function conversationOf(message: Placed, me: number): Conversation {
  const { display_recipient: people } = message;
  if (typeof people === "string")
    return { channelId: message.stream_id ?? 0, topic: message.subject };
  return {
    others: othersOf(
      people.map(({ id }) => id),
      me,
    ),
  };
}

export function othersOf(ids: readonly number[], me: number): number[] {
  return [...new Set(ids)].filter((id) => id !== me).toSorted((a, b) => a - b);
}

/** Returns a key that is the same for equal conversations. Topics are compared ignoring case. */
export function keyOf(conversation: Conversation): string {
  return "others" in conversation
    ? `dm:${conversation.others.join(",")}`
    : `${conversation.channelId}:${conversation.topic.toLowerCase()}`;
}

export function termsOf(conversation: Conversation, me: number): Term[] {
  if ("others" in conversation) {
    const { others } = conversation;
    return [{ operator: "dm", operand: others.length > 0 ? others : [me] }];
  }
  return [
    { operator: "channel", operand: conversation.channelId },
    { operator: "topic", operand: conversation.topic },
  ];
}

export function routeOf(conversation: Conversation, me: number, near: number | null = null): Route {
  return { page: "messages", terms: termsOf(conversation, me), near };
}
