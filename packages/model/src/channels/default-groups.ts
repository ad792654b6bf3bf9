import { channelPermissions, type Permission } from "@carillon/contract";

import type { SystemGroupIds } from "../permissions/system-groups.ts";
import type { ChannelGroups } from "./channel.ts";

/** The permissions of a channel that nobody made: what would be its creator's is nobody's (channels.md §2). */
export function defaultChannelGroups(groups: SystemGroupIds): ChannelGroups {
  return Object.fromEntries(
    Object.entries<Permission>(channelPermissions).map(([key, permission]) => [
      `${key}Id`,
      groups[permission.default === "creator" ? "role:nobody" : permission.default],
    ]),
  ) as ChannelGroups;
}
