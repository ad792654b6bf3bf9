import { type Picture, rolesSeeingAddress } from "@carillon/model";

const gravatar =
  /^https:\/\/secure\.gravatar\.com\/avatar\/([\da-f]{32})\?d=identicon&version=(\d+)$/;

/**
 * The picture of an account in a row of the log from before rows kept pictures: then the row has its address at gravatar,
 * the same for everybody. The log outlives an upgrade by days; what is in it must not be lost, nor give hidden e-mail
 * addresses away.
 * @param url where the row has one
 * @param seen whether the row says that everybody whom it is for sees the e-mail address; else only the account itself
 * @returns undefined for another address, or none
 */
export function oldPicture(
  userId: number,
  url: string | null | undefined,
  seen: boolean,
): Picture | undefined {
  const [, hash, version] = gravatar.exec(url ?? "") ?? [];
  if (hash === undefined) return undefined;
  const shown_to = seen ? everybody : [];
  return { user_id: userId, version: Number(version), hash, shown_to };
}

const everybody = rolesSeeingAddress({ isBot: false, emailAddressVisibility: 1 });
