import { accessMessages, type Reader } from "@carillon/model";
import { errors, type NarrowTerm } from "@carillon/contract";
import type { Sql } from "@carillon/db";

import { messageId } from "./id.ts";
import type { Operand } from "./operator.ts";

/** @throws ApiError `BAD_REQUEST` for an operand of a type that `with` never takes */
export function checkWithOperand(operand: Operand): asserts operand is string | number {
  if (Array.isArray(operand))
    throw errors.badRequest("narrow: the operand of with must be a string or an ID");
}

const channelNames = new Set(["channel", "stream"]);
const directNames = new Set(["dm", "pm-with", "pm_with"]);

/**
 * The narrow without its `with` term: where the viewer can access the message, the terms that name a conversation
 * give way to the one that the message is in now; else the term is dropped if the others name one (messages.md §2.3).
 * @throws ApiError `BAD_NARROW`
 */
export async function followWith(
  sql: Sql,
  viewer: Reader,
  terms: readonly NarrowTerm[],
): Promise<readonly NarrowTerm[]> {
  const [term, second] = terms.filter(({ operator }) => operator === "with");
  if (!term) return terms;
  if (second) throw errors.badNarrow("a narrow takes one term with the operator with");
  checkWithOperand(term.operand);
  const id = messageId("with", term.operand);

  const others = terms.filter(({ operator }) => operator !== "with");
  const conversation = await conversationOf(sql, viewer, id);
  if (conversation) {
    const rest = others.filter(({ operator }) => !namesConversation(operator));
    return [...rest, ...conversation];
  }
  const names = new Set(others.filter(({ negated }) => !negated).map(({ operator }) => operator));
  const namesTopic = names.has("topic") && hasAny(names, channelNames);
  if (namesTopic || hasAny(names, directNames)) return others;
  throw errors.badNarrow(`with:${id} names no message that you can see`);
}

function namesConversation(operator: string): boolean {
  return operator === "topic" || channelNames.has(operator) || directNames.has(operator);
}

function hasAny(names: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  return [...wanted].some((name) => names.has(name));
}

/** Where the message is, if the viewer can access it (messages.md §6). */
async function conversationOf(
  sql: Sql,
  viewer: Reader,
  id: number,
): Promise<NarrowTerm[] | undefined> {
  const found = (await accessMessages(sql, viewer, [id])).get(id);
  if (!found) return undefined;
  const { channelId, topic, memberIds } = found;
  return channelId === null
    ? [{ operator: "dm", operand: memberIds ?? [], negated: false }]
    : [
        { operator: "channel", operand: channelId, negated: false },
        { operator: "topic", operand: topic, negated: false },
      ];
}
