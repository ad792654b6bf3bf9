import { type ApiError, errors } from "@carillon/contract";
import { isEmailAddress, type Realm } from "@carillon/model";

/** The refusal for everything that a page does not find: one for all, without a reason. */
export function noSuchPage(): ApiError {
  return errors.notFound404("There is no such page");
}

/** @throws ApiError 404 if the organization is deactivated */
export function assertActive(realm: Realm): void {
  if (realm.deactivated) throw noSuchPage();
}

/** Whether a box is ticked: browsers send its value, `on` unless it has another, and leave others out. */
export function isTicked(value: string): boolean {
  return value !== "" && value !== "false";
}

/**
 * Checks the e-mail address of a form.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkedAddress(text: string): string {
  const email = text.trim();
  if (!isEmailAddress(email)) throw errors.badRequest("This is not an e-mail address.");
  return email;
}
