import { dictionary } from "@zxcvbn-ts/language-common";

/** Some 49,000 passwords that leaked most often, in lower case. */
export const leakedPasswords: ReadonlySet<string> = new Set(dictionary["passwords-common"]);
