import { secretNames } from "@carillon/contract";

/** Names of the fields that hold secrets, as JSON writes them: within a text the quotation marks would be escaped. */
const names = secretNames.map((name) => `"${name}":`);

/**
 * Whether a piece of an answer's JSON has a field with a secret. Such an answer is not compressed: an observer who can
 * inject text into it would learn the secret from its length (BREACH).
 */
export function holdsSecret(json: string): boolean {
  return names.some((name) => json.includes(name));
}
