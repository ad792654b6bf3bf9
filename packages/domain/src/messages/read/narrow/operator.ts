import type { Fragment, Realm, Reader } from "@carillon/model";
import { errors, type NarrowTerm } from "@carillon/contract";

import type { NarrowLookups } from "./lookups.ts";

export type Operand = NarrowTerm["operand"];

/** What an operator can use while its term is compiled. */
export interface NarrowContext {
  readonly viewer: Reader;
  /** Loaded in the same statement as the lookups. */
  readonly realm: Promise<Pick<Realm, "emptyTopicDisplayName">>;
  readonly lookups: NarrowLookups;
}

/** The partial indexes of the viewer's rows. */
export type RowIndex = "unread" | "mentioned" | "alerted" | "starred" | "direct";

/** The index with which a term's messages can be found. A statement uses the index of one of its terms. */
export type Drive =
  | { readonly by: "message"; readonly id: number }
  | { readonly by: "recipient"; readonly id: number }
  | { readonly by: "sender"; readonly id: number }
  | { readonly by: "mention"; readonly id: number }
  | { readonly by: "topic" }
  /** A condition on channels `c`. */
  | { readonly by: "channels"; readonly where: Fragment }
  | { readonly by: "rows"; readonly index: RowIndex };

/** The words that a narrow searches for, over all its terms (messages.md §5). */
export interface WordSearch {
  /** The lexemes of the words, without duplicates; empty if there are only stop words. */
  readonly lexemes: readonly string[];
  /** A condition on a message `m`, which the index supports: it contains all lexemes. */
  readonly hasWords: Fragment;
  /** A condition on a message `m`: it contains the quoted phrases. */
  readonly hasPhrases: Fragment;
}

/** The meaning of a term. Conditions are true or false, never null, so that they can be negated. */
export interface TermPlan {
  /** A condition on the message `m`. */
  readonly message?: Fragment;
  /** A condition on the viewer's copy `um`. */
  readonly row?: Fragment;
  /** Valid for the term, not for its negation. */
  readonly drive?: Drive;
  /** Whether only channel messages or only direct messages match: the two exclude each other. */
  readonly matches?: "channel" | "direct";
  /** Whether the term makes shared history visible (messages.md §2.1). */
  readonly sharedHistory?: boolean;
  /** Whether the term depends on the viewer's copies, negated or not. */
  readonly personalOnly?: boolean;
  /** Set by a term that names one channel: whether the viewer may read its content. */
  readonly channelReadable?: boolean;
  /** The words that the term searches for: an additional condition. */
  readonly search?: WordSearch;
  /** Whether negating the term has no effect. */
  readonly ignoresNegation?: boolean;
}

/** A kind of operand. */
export interface OperandType<T extends Operand> {
  /** Completes the error "the operand must be …". */
  readonly description: string;
  readonly accepts: (operand: Operand) => operand is T;
}

const isText = (operand: Operand): operand is string => typeof operand === "string";
const isSomeText = (operand: Operand): operand is string => isText(operand) && operand !== "";
const isTextOrId = (operand: Operand): operand is string | number => !Array.isArray(operand);

export const operandTypes = {
  text: { description: "a string", accepts: isText },
  someText: { description: "a string that is not empty", accepts: isSomeText },
  textOrId: { description: "a string or an ID", accepts: isTextOrId },
  textOrIds: {
    description: "a string or an array of IDs",
    accepts: (operand: Operand): operand is string | readonly number[] =>
      typeof operand !== "number",
  },
};

export interface NarrowOperator {
  /** The operator, then its aliases. */
  readonly names: readonly string[];
  /** Throws ApiError `BAD_REQUEST` for an operand of a type that the operator never accepts. */
  readonly checkOperand: (operand: Operand) => void;
  /** Compiles a term to conditions of SQL, or throws ApiError `BAD_NARROW`. */
  readonly compile: (operand: Operand, context: NarrowContext) => Promise<TermPlan>;
}

/** Declares an operator: its names, its operand type, and how its terms are compiled. */
export function narrowOperator<T extends Operand>(declared: {
  readonly names: readonly [string, ...string[]];
  readonly operand: OperandType<T>;
  readonly compile: (operand: T, context: NarrowContext) => TermPlan | Promise<TermPlan>;
}): NarrowOperator {
  const { names, operand: type, compile } = declared;
  function checkOperand(operand: Operand): asserts operand is T {
    if (!type.accepts(operand))
      throw errors.badRequest(`narrow: the operand of ${names[0]} must be ${type.description}`);
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

/** The error for an operand that the operator does not support. */
export function badOperand(operator: string, operand: string, known: readonly string[]): Error {
  return errors.badNarrow(`${operator}:${operand} is not supported; it takes ${known.join(", ")}`);
}
