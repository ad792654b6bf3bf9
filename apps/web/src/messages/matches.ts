import type { Message } from "@carillon/client";
import type { Term } from "../route.ts";
import { conversationOf, othersOf } from "../store/conversation.ts";

/**
 * Returns whether a message belongs to a view, as far as this can be told without the server; undefined if only the
 * server knows, as with a search.
 */
export function matches(message: Message, terms: readonly Term[], me: number): boolean | undefined {
  let known = true;
  for (const term of terms) {
    const result = matchesTerm(message, term, me);
    if (result === undefined) known = false;
    else if (result === Boolean(term.negated)) return false;
  }
  return known ? true : undefined;
}

function matchesTerm(message: Message, { operator, operand }: Term, me: number) {
  switch (operator) {
    case "channel":
      return message.stream_id === operand;
    case "topic":
      return (
        message.type === "stream" && message.subject.toLowerCase() === String(operand).toLowerCase()
      );
    case "dm": {
      const conversation = conversationOf(message, me);
      return (
        "others" in conversation &&
        conversation.others.join() === othersOf(operand as readonly number[], me).join()
      );
    }
    case "sender":
      return typeof operand === "number" ? message.sender_id === operand : undefined;
    case "is":
      return matchesKind(message, operand);
    default:
      return undefined;
  }
}

function matchesKind({ flags, type, subject }: Message, kind: Term["operand"]) {
  switch (kind) {
    case "mentioned":
      return flags.some((flag) => flag.endsWith("mentioned"));
    case "starred":
      return flags.includes("starred");
    case "unread":
      return !flags.includes("read");
    case "alerted":
      return flags.includes("has_alert_word");
    case "dm":
    case "private":
      return type === "private";
    case "resolved":
      return subject.startsWith("✔ ");
    default:
      return undefined;
  }
}
