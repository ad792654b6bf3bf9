import { errors } from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";

/** What the column holds, in code points. */
const maxName = 40;

/**
 * The name of an organization as it is stored.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkOrganizationName(text: string): string {
  const name = text.trim();
  if (name === "") throw errors.badRequest("name must not be blank");
  if (isLongerThan(name, maxName))
    throw errors.badRequest(`name must not have more than ${maxName} characters`);
  return name;
}

/** A label of a host name (RFC 1035, with digits first too), as long as the column. */
const label = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/**
 * What an organization has before the host of `PUBLIC_URL`; empty for the one that has that host to itself.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkSubdomain(text: string): string {
  if (text !== "" && !label.test(text))
    throw errors.badRequest(
      "subdomain must be one label of a host name: 1 to 40 of a-z, 0-9 and -, which stands neither first nor last",
    );
  return text;
}
