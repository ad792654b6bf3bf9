import type { NewEvent } from "@carillon/events";

import type { Account } from "./account.ts";
import { avatarUrl, mediumAvatarUrl } from "./avatar.ts";
import { personUpdated } from "./person-updated.ts";

/** What everybody is told of an account's picture; clients that make up pictures of addresses would make up another. */
export function pictureUpdated(account: Account): NewEvent {
  return personUpdated(account.id, {
    avatar_url: avatarUrl(account),
    avatar_url_medium: mediumAvatarUrl(account),
    avatar_source: account.avatarSource,
    avatar_version: account.avatarVersion,
  });
}
