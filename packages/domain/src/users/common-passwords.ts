import { dictionary } from "@zxcvbn-ts/language-common";

/** Some 49,000 passwords that leaked most often, in lower case. */
const common: ReadonlySet<string> = new Set(dictionary["passwords-common"]);

/**
 * Whether the password is one of those that guessers try first, in whatever case.
 * @param password no longer than passwords may be
 */
export function isCommonPassword(password: string): boolean {
  return common.has(password.normalize("NFKC").toLowerCase());
}
