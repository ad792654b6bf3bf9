import { errors } from "@carillon/contract";
import type { NarrowTerm } from "@carillon/events";
import { areAlikeButForCase } from "@carillon/kit";

import type { LoggedMessage } from "../messages/send/message-event.ts";

/** The fields of a message that a queue's narrow checks. */
export interface NarrowInput {
  readonly message: LoggedMessage["message"];
  /** The receiver's flags. */
  readonly flags: readonly string[];
  readonly emptyTopicDisplayName: string;
}

type Test = (narrowed: NarrowInput, operand: string) => boolean;

const channel: Test = ({ message }, operand) =>
  message.type === "stream" && areAlikeButForCase(message.display_recipient as string, operand);

const exactTopic: Test = (narrowed, operand) => {
  const topic = topicOf(narrowed);
  return topic !== undefined && areAlikeButForCase(topic, storedTopic(narrowed, operand));
};

const topic: Test = (narrowed, operand) =>
  exactTopic(narrowed, operand) ||
  (topicOf(narrowed)
    ?.split(/\s+/u)
    .some((word) => word !== "" && areAlikeButForCase(word, operand)) ??
    false);

const direct = ({ message }: NarrowInput) => message.type === "private";
const flagged =
  (...names: readonly string[]) =>
  ({ flags }: NarrowInput) =>
    names.some((name) => flags.includes(name));

/** Operands of `is`. */
const states = new Map<string, (narrowed: NarrowInput) => boolean>([
  ["dm", direct],
  ["private", direct],
  ["starred", flagged("starred")],
  ["unread", ({ flags }) => !flags.includes("read")],
  ["mentioned", flagged("mentioned", "wildcard_mentioned")],
  ["alerted", flagged("has_alert_word")],
  ["resolved", (narrowed) => topicOf(narrowed)?.startsWith("✔ ") ?? false],
]);

/** The operators that a queue's narrow supports (events.md §1). */
const operators = new Map<string, Test>([
  ["channel", channel],
  ["stream", channel],
  ["topic", topic],
  ["exact-topic", exactTopic],
  ["sender", ({ message }, operand) => areAlikeButForCase(message.sender_email, operand)],
  ["is", (narrowed, operand) => states.get(operand)?.(narrowed) ?? false],
]);

/** Whether all terms match. */
export function matchesNarrow(terms: readonly NarrowTerm[], narrowed: NarrowInput): boolean {
  return terms.every(([operator, operand]) => operators.get(operator)?.(narrowed, operand));
}

/** Maximum terms, because each message is compared with each term. */
const maxTerms = 100;
/** Maximum UTF-16 units of an operand; longer than any name, topic or address. */
const maxOperand = 1_000;

/**
 * Checks the narrow of a registration.
 * @param terms decoded from JSON
 * @throws ApiError `BAD_REQUEST` for a term that is not a pair of strings, for an unsupported operator or operand, and
 * for too many or too long terms
 */
export function checkNarrow(terms: readonly unknown[]): readonly NarrowTerm[] {
  if (terms.length > maxTerms)
    throw errors.badRequest(`The narrow of a queue has at most ${maxTerms} terms`);
  return terms.map((term) => {
    if (!isPair(term))
      throw errors.badRequest(
        "Each term of narrow must be a pair of strings: operator and operand",
      );
    const [operator, operand] = term;
    if (!operators.has(operator))
      throw errors.badRequest(
        `The narrow of a queue does not support the operator ${operator}, only ${list(operators)}`,
      );
    if (operand.length > maxOperand)
      throw errors.badRequest(
        `An operand in the narrow of a queue has at most ${maxOperand} characters`,
      );
    if (operator === "is" && !states.has(operand))
      throw errors.badRequest(
        `The narrow of a queue does not support is:${operand}, only ${list(states)}`,
      );
    return term;
  });
}

function isPair(term: unknown): term is NarrowTerm {
  return Array.isArray(term) && term.length === 2 && term.every((part) => typeof part === "string");
}

function list(known: ReadonlyMap<string, unknown>): string {
  return [...known.keys()].join(", ");
}

function topicOf({ message }: NarrowInput): string | undefined {
  return message.type === "stream" ? message.subject : undefined;
}

/** Maps the display name of the empty topic to the empty topic. */
function storedTopic({ emptyTopicDisplayName }: NarrowInput, operand: string): string {
  return operand === emptyTopicDisplayName ? "" : operand;
}
