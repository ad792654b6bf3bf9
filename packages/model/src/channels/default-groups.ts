import { channelSettings, type SettingRule } from "../permissions/registry.ts";
import type { SystemGroupIds } from "../permissions/system-groups.ts";
import type { ChannelGroups } from "./channel.ts";

/** The permissions of a channel that nobody made: what would be its creator's is nobody's (channels.md §2). */
export function defaultChannelGroups(groups: SystemGroupIds): ChannelGroups {
  return Object.fromEntries(
    Object.entries<SettingRule>(channelSettings).map(([key, rule]) => [
      `${key}Id`,
      groups[rule.default === "creator" ? "role:nobody" : rule.default],
    ]),
  ) as ChannelGroups;
}
