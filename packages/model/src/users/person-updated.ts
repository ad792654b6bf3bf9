import {
  type Audience,
  type LoggedFields,
  type NewEvent,
  userAdded,
  userStatusChanged,
  userUpdated,
} from "@carillon/contract";

import type { Account } from "./account.ts";
import { pictureOf } from "./avatar.ts";

type Logged = LoggedFields<typeof userUpdated>;
type Without<T, Name extends string> = T extends unknown ? Omit<T, Name> : never;

/** Exactly one change of an account, as on the wire; a picture is told with {@link pictureUpdated}. */
export type PersonChange = Without<Exclude<Logged, { picture: unknown }>["person"], "user_id">;

/**
 * What is told when one thing about an account has changed (events.md §4).
 * @param audience everybody unless given
 */
export function personUpdated(
  userId: number,
  change: PersonChange,
  audience: Audience = null,
): NewEvent {
  return userUpdated({ person: { user_id: userId, ...change } }, { audience });
}

/**
 * What is told of an account's picture; clients that make up pictures of addresses would make up another. Which address
 * it is says the poll that hands it out.
 * @param audience everybody unless given
 */
export function pictureUpdated(account: Account, audience: Audience = null): NewEvent {
  const { id: user_id, avatarSource: avatar_source, avatarVersion: avatar_version } = account;
  const person = { user_id, avatar_source, avatar_version };
  return userUpdated({ person, picture: pictureOf(account) }, { audience });
}

/** What is told of an account to those who have not known it. */
export function personAdded(fields: LoggedFields<typeof userAdded>, audience: Audience): NewEvent {
  return userAdded(fields, { audience });
}

/** What is told of what somebody says of themselves: only what is different. */
export function statusChanged(
  fields: LoggedFields<typeof userStatusChanged>,
  audience: Audience,
): NewEvent {
  return userStatusChanged(fields, { audience });
}
