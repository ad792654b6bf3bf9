import type { NewEvent } from "@carillon/events";

import type { Account } from "./account.ts";
import { pictureOf } from "./avatar.ts";

/**
 * What is told of an account's picture; clients that make up pictures of addresses would make up another. Which address
 * it is says the poll that hands it out.
 * @param audience everybody unless given
 */
export function pictureUpdated(account: Account, audience: NewEvent["audience"] = null): NewEvent {
  const { id: user_id, avatarSource: avatar_source, avatarVersion: avatar_version } = account;
  return {
    type: "realm_user",
    op: "update",
    payload: { person: { user_id, avatar_source, avatar_version }, picture: pictureOf(account) },
    audience,
  };
}
