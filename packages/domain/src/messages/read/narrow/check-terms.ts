import { errors, type NarrowTerm } from "@carillon/contract";

import { findOperator } from "./registry.ts";
import { checkSearches } from "./search.ts";
import { checkWithOperand } from "./with.ts";

/** More than anybody writes; each costs a condition that the database has to plan. */
const maxTerms = 100;

/**
 * Refuses what is wrong with a narrow for every account, before anything else is looked at.
 * @throws ApiError `BAD_REQUEST` for an operand of a type that its operator never takes
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
