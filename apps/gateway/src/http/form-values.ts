import { type ApiError, errors } from "@carillon/contract";
import { isEmailAddress, type Realm } from "@carillon/model";

/** The refusal for everything that a page does not find: one for all, without a reason. */
export function noSuchPage(): ApiError {
  return errors.notFound404("There is no such page");
}

/** Throws ApiError 404 if the organization is deactivated. */
export function assertActive(realm: Realm): void {
  if (realm.deactivated) throw noSuchPage();
}

/** Whether a box is ticked: browsers send its value, `on` unless it has another, and leave others out. */
export function isTicked(value: string): boolean {
  return value !== "" && value !== "false";
}

/**
 * Returns the e-mail address of a form; undefined if the text is not an address. Forms that mail a link give such a text the
 * same answer as an address. Browsers do not send it.
 */
export function addressOf(text: string): string | undefined {
  const email = text.trim();
  return isEmailAddress(email) ? email : undefined;
}
