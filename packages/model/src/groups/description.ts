import { bounds, errors } from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";

/**
 * Every registration gets the descriptions of all groups.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkGroupDescription(description: string): void {
  if (isLongerThan(description, bounds.groupDescription))
    throw errors.badRequest(
      `The description of a user group must not have more than ${bounds.groupDescription} characters`,
    );
}
