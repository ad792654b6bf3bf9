import type { ChannelFolder } from "@carillon/client";
import type { Subscription } from "../store/channels.ts";
import { texts } from "../texts.ts";

/** Channels under one heading of the sidebar. */
export interface ChannelGroup {
  readonly key: string;
  readonly title: string;
  readonly channels: readonly Subscription[];
}

/** One collator for all comparisons, because `localeCompare` would create one for each pair. */
const names = new Intl.Collator();

/** Sorts channels under pinned ones, folders in their order, and the rest. Archived channels are left out. */
export function groupChannels(
  subscriptions: readonly Subscription[],
  folders: readonly ChannelFolder[],
): ChannelGroup[] {
  const shown = subscriptions
    .filter(({ is_archived }) => !is_archived)
    .toSorted((a, b) => Number(a.is_muted) - Number(b.is_muted) || names.compare(a.name, b.name));
  const unpinned = shown.filter(({ pin_to_top }) => !pin_to_top);
  const known = new Set(folders.map(({ id }) => id));
  const groups: ChannelGroup[] = [
    {
      key: "pinned",
      title: texts.sidebar.pinned,
      channels: shown.filter(({ pin_to_top }) => pin_to_top),
    },
    ...folders
      .toSorted((a, b) => a.order - b.order)
      .map(({ id, name }) => ({
        key: String(id),
        title: name,
        channels: unpinned.filter(({ folder_id }) => folder_id === id),
      })),
    {
      key: "rest",
      title: texts.sidebar.channels,
      channels: unpinned.filter(({ folder_id }) => folder_id === null || !known.has(folder_id)),
    },
  ];
  return groups.filter(({ channels }) => channels.length > 0);
}

/** Returns the first channels of the groups. */
export function beginningOf(groups: readonly ChannelGroup[], count: number): ChannelGroup[] {
  let left = count;
  return groups.flatMap((group) => {
    const channels = group.channels.slice(0, left);
    left -= channels.length;
    return channels.length > 0 ? [{ ...group, channels }] : [];
  });
}
