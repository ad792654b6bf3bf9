import { errors, type NarrowTerm } from "@carillon/contract";
import type { Fragment } from "@carillon/model";

import type { Drive, NarrowContext, TermPlan, WordSearch } from "./operator.ts";
import { checkWithOperand, findOperator } from "./operators.ts";
import { checkSearches, joinSearches } from "./search.ts";

/** The combined conditions of a narrow's terms. */
export interface CompiledNarrow {
  /** Conditions on the message `m`. */
  readonly message: readonly Fragment[];
  /** Conditions on the viewer's copy `um`; empty if `shared` is true. */
  readonly row: readonly Fragment[];
  readonly drives: readonly Drive[];
  /** The words to search for: a condition on messages in addition to `message`. */
  readonly search?: WordSearch;
  /** Whether messages without a copy of the viewer are included (messages.md §2.1). */
  readonly shared: boolean;
  /** Whether a channel is named, and whether the viewer may read its content. */
  readonly channel: "none" | "readable" | "refused";
}

/**
 * Compiles the terms of a narrow.
 * @throws ApiError `BAD_NARROW` for the first unusable term, or for terms whose kinds exclude each other
 */
export async function compileNarrow(
  sent: readonly NarrowTerm[],
  context: NarrowContext,
): Promise<CompiledNarrow> {
  const terms = joinSearches(sent);
  // Compiles all terms at once, so that their lookups share one statement. The first error in the order of the terms is
  // thrown.
  const settled = await Promise.allSettled(terms.map((term) => compileTerm(term, context)));
  const plans = settled.map((result, i) => {
    if (result.status === "rejected") throw result.reason;
    return {
      ...result.value,
      negated: (terms[i]?.negated ?? false) && !result.value.ignoresNegation,
    };
  });

  const asked = plans.filter((plan) => !plan.negated);
  const direct = asked.some((plan) => plan.matches === "direct");
  const inChannels =
    asked.some((plan) => plan.matches === "channel") ||
    plans.some((plan, i) => plan.negated && isDirectTerm(terms[i]));
  if (direct && inChannels)
    throw errors.badNarrow(
      "no message is both in a channel and direct: the terms exclude each other",
    );

  const search = plans.find((plan) => plan.search)?.search;
  const named = asked.filter((plan) => plan.channelReadable !== undefined);
  return {
    message: plans.flatMap(({ message, negated }) => (message ? [negateIf(message, negated)] : [])),
    row: plans.flatMap(({ row, negated }) => (row ? [negateIf(row, negated)] : [])),
    ...(search ? { search } : {}),
    drives: asked.flatMap(({ drive }) => (drive ? [drive] : [])),
    shared: asked.some((plan) => plan.sharedHistory) && !plans.some((plan) => plan.personalOnly),
    channel:
      named.length === 0
        ? "none"
        : named.length === 1 && named[0]?.channelReadable
          ? "readable"
          : "refused",
  };
}

async function compileTerm(term: NarrowTerm, context: NarrowContext): Promise<TermPlan> {
  const operator = findOperator(term.operator);
  if (!operator) throw errors.badNarrow(`the operator ${term.operator} is not supported`);
  return operator.compile(term.operand, context);
}

function isDirectTerm(term: NarrowTerm | undefined): boolean {
  return term?.operator === "is" && (term.operand === "dm" || term.operand === "private");
}

function negateIf(condition: Fragment, negated: boolean): Fragment {
  return negated ? (values) => `NOT (${condition(values)})` : condition;
}

/** More terms than any client sends; each adds a condition that the database has to plan. */
const maxTerms = 100;

/**
 * Checks the parts of a narrow that do not depend on the account, before anything is loaded.
 * @throws ApiError `BAD_REQUEST` for an operand of a type that its operator never accepts
 */
export function checkTerms(terms: readonly NarrowTerm[]): void {
  if (terms.length > maxTerms)
    throw errors.badRequest(`narrow must not have more than ${maxTerms} terms`);
  for (const { operator, operand } of terms) {
    if (operator === "with") checkWithOperand(operand);
    else findOperator(operator)?.checkOperand(operand);
  }
  checkSearches(terms);
}
