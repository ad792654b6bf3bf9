import { secretNames } from "@carillon/contract";

/** Names of the fields that hold secrets, as JSON writes them: within a text the quotation marks would be escaped. */
const names = secretNames.map((name) => `"${name}":`);

/**
 * Whether a piece of an answer's JSON has a field with a secret. Such an answer is not compressed: its length would tell
 * whoever sees it, and can have something of their own repeated in it, of what the secret is made (BREACH).
 */
export function holdsSecret(json: string): boolean {
  return names.some((name) => json.includes(name));
}
