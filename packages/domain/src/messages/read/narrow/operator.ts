import type { Fragment, Realm, Reader } from "@carillon/model";
import { errors, type NarrowTerm } from "@carillon/contract";

import type { NarrowLookups } from "./lookups.ts";

export type Operand = NarrowTerm["operand"];

/** What an operator may ask while its term is compiled. */
export interface NarrowContext {
  readonly viewer: Reader;
  /** On its way, together with the look-ups. */
  readonly realm: Promise<Pick<Realm, "emptyTopicDisplayName">>;
  readonly lookups: NarrowLookups;
}

/** The partial indexes of the viewer's rows. */
export type RowIndex = "unread" | "mentioned" | "alerted" | "starred" | "direct";

/** Which index finds the messages of a term; what a statement is built around is chosen among those of its terms. */
export type Drive =
  | { readonly by: "message"; readonly id: number }
  | { readonly by: "recipient"; readonly id: number }
  | { readonly by: "sender"; readonly id: number }
  | { readonly by: "mention"; readonly id: number }
  | { readonly by: "topic" }
  /** A condition on channels `c`. */
  | { readonly by: "channels"; readonly where: Fragment }
  | { readonly by: "rows"; readonly index: RowIndex };

/** What a narrow searches for, all its terms together (messages.md §5). */
export interface WordSearch {
  /** What PostgreSQL makes of the words, each once and none of them empty; none where all are left out. */
  readonly lexemes: readonly string[];
  /** A condition on a message `m`: it has them all. The index finds it. */
  readonly hasWords: Fragment;
  /** A condition on a message `m`: it has the quoted phrases. */
  readonly hasPhrases: Fragment;
}

/** What a term means. Conditions are true or false, never null: negation turns them around. */
export interface TermPlan {
  /** A condition on the message `m`. */
  readonly message?: Fragment;
  /** A condition on the viewer's row `um`. */
  readonly row?: Fragment;
  /** Holds for the term as it stands, not for its negation. */
  readonly drive?: Drive;
  /** Only channel messages match, or only direct ones: the two exclude each other. */
  readonly matches?: "channel" | "direct";
  /** The term itself opens the history that all may read (messages.md §2.1). */
  readonly sharedHistory?: boolean;
  /** The term asks about the viewer's rows, negated or not. */
  readonly personalOnly?: boolean;
  /** Set by a term that names one channel: whether its content may be read. */
  readonly channelReadable?: boolean;
  /** What the term searches for: a condition besides. */
  readonly search?: WordSearch;
  /** The term means the same negated. */
  readonly ignoresNegation?: boolean;
}

/** A kind of operand. */
export interface OperandType<T extends Operand> {
  readonly says: string;
  readonly takes: (operand: Operand) => operand is T;
}

const isText = (operand: Operand): operand is string => typeof operand === "string";
const isSomeText = (operand: Operand): operand is string => isText(operand) && operand !== "";
const isTextOrId = (operand: Operand): operand is string | number => !Array.isArray(operand);

export const operandTypes = {
  text: { says: "a string", takes: isText },
  someText: { says: "a string that is not empty", takes: isSomeText },
  textOrId: { says: "a string or an ID", takes: isTextOrId },
  textOrIds: {
    says: "a string or an array of IDs",
    takes: (operand: Operand): operand is string | readonly number[] => typeof operand !== "number",
  },
};

export interface NarrowOperator {
  /** The operator, then its aliases. */
  readonly names: readonly string[];
  /** @throws ApiError `BAD_REQUEST` when the operand is of a type that the operator never takes */
  readonly checkOperand: (operand: Operand) => void;
  /** @throws ApiError `BAD_NARROW` */
  readonly compile: (operand: Operand, context: NarrowContext) => Promise<TermPlan>;
}

/** Declares an operator: its names, what it takes, and what a term of it means. */
export function narrowOperator<T extends Operand>(declared: {
  readonly names: readonly [string, ...string[]];
  readonly operand: OperandType<T>;
  readonly compile: (operand: T, context: NarrowContext) => TermPlan | Promise<TermPlan>;
}): NarrowOperator {
  const { names, operand: type, compile } = declared;
  function checkOperand(operand: Operand): asserts operand is T {
    if (!type.takes(operand))
      throw errors.badRequest(`narrow: the operand of ${names[0]} must be ${type.says}`);
  }
  return {
    names,
    checkOperand,
    compile: async (operand, context) => {
      checkOperand(operand);
      return compile(operand, context);
    },
  };
}

/** The refusal of an operand that the operator does not know, or not yet. */
export function badOperand(operator: string, operand: string, known: readonly string[]): Error {
  return errors.badNarrow(`${operator}:${operand} is not supported; it takes ${known.join(", ")}`);
}
