import { bounds, errors, type LinkifierObject } from "@carillon/contract";
import { type Linkifier, linkifierProblem, patternSize } from "@carillon/markdown";

/**
 * Refuses a linkifier that cannot be used (rendering.md §3), or not beside the others of the organization.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkUsable(wanted: Linkifier, others: readonly LinkifierObject[]): void {
  const problem = linkifierProblem(wanted);
  if (problem !== undefined) throw errors.badRequest(problem);
  if (others.some(({ pattern }) => pattern === wanted.pattern))
    throw errors.badRequest("Another linkifier has this pattern");
  const size = others.reduce((sum, { pattern }) => sum + patternSize(pattern), 0);
  if (size + patternSize(wanted.pattern) > bounds.linkifierInstructions)
    throw errors.badRequest(
      `The linkifiers of an organization cannot take more than ${bounds.linkifierInstructions} instructions in all: simplify or remove some`,
    );
}

/**
 * The linkifier with this id, and the others.
 * @throws ApiError `BAD_REQUEST` where there is none
 */
export function oneOf(
  linkifiers: readonly LinkifierObject[],
  id: number,
): { readonly found: LinkifierObject; readonly others: readonly LinkifierObject[] } {
  const found = linkifiers.find((linkifier) => linkifier.id === id);
  if (!found) throw errors.badRequest("There is no such linkifier");
  return { found, others: linkifiers.filter((linkifier) => linkifier.id !== id) };
}
