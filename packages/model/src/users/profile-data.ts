import { errors } from "@carillon/contract";

import type { Account } from "./account.ts";

/** The value that somebody wants a custom profile field to have; null removes it. */
export interface ProfileEntry {
  readonly id: number;
  readonly value: string | readonly number[] | null;
}

/**
 * Whether the account can have these values (users.md §3.4). Organizations have no custom profile fields yet, so that
 * every field is an unknown one.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkProfileData(target: Account, [first]: readonly ProfileEntry[]): void {
  if (target.isBot) throw errors.badRequest("Bots have no custom profile fields");
  if (first) throw errors.badRequest(`There is no custom profile field ${first.id}`);
}
