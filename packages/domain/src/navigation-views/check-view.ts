import { errors } from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";

/** Views that every client has, without a row (bot-storage-alert-words-navigation.md §3). */
const builtIn: ReadonlySet<string> = new Set([
  "inbox",
  "recent",
  "feed",
  "drafts",
  "narrow/has/reaction/sender/me",
  "narrow/is/mentioned",
  "narrow/is/starred",
  "scheduled",
  "reminders",
]);

/** Code points of a fragment, and of a name: they are in indexes. */
const maxLength = 500;

/** Whether every client has the view. */
export function isBuiltIn(fragment: string): boolean {
  return builtIn.has(fragment);
}

/**
 * A fragment or a name as it is stored.
 * @param what it is called in the request
 * @throws ApiError `BAD_REQUEST` where nothing is left of it, or it is too long
 */
export function viewText(what: "fragment" | "name", given: string): string {
  const text = given.trim();
  if (text === "") throw errors.badRequest(`${what} must not be empty`);
  if (isLongerThan(text, maxLength))
    throw errors.badRequest(`${what} must not have more than ${maxLength} characters`);
  return text;
}

/** @throws ApiError `BAD_REQUEST` where the view is one that every client has, and a name is given */
export function refuseBuiltInName(fragment: string, name: string | undefined): void {
  if (name !== undefined && isBuiltIn(fragment))
    throw errors.badRequest("A built-in view has no name of its own");
}

/** The refusal of a fragment or a name that another view of the account has. */
export function viewExists() {
  return errors.badRequest("You have such a navigation view already");
}

/** The refusal of a fragment of which the account has no view. */
export function noSuchView() {
  return errors.notFound404("You have no such navigation view");
}
