import {
  type Channel,
  type ChangedGroupSetting,
  type SystemGroupIds,
  postPolicy,
} from "@carillon/model";
import { type Audience, channelPermissions, type NewEvent } from "@carillon/contract";

import { channelPropertyEvent } from "../events/channel-events.ts";
import type { ChangedProperty } from "./changed-properties.ts";
import type { NextChannel } from "./next-channel.ts";

/** Told together, by one of them (channels.md §5). */
const privacy = ["invite_only", "history_public_to_subscribers", "is_web_public"];

/**
 * What those are told of its properties who see the channel before and after the change: one event each, by the name
 * that they know the channel by.
 * @param channel as it was
 * @param next as it is
 */
export function propertyEvents(
  channel: Channel,
  next: NextChannel,
  changed: readonly ChangedProperty[],
  audience: Audience,
): NewEvent[] {
  const values = new Map(
    changed.map(({ name, value }) =>
      privacy.includes(name)
        ? (["invite_only", next.inviteOnly] as const)
        : ([name, value] as const),
    ),
  );
  // Everybody gets the list of default channels.
  values.delete("is_default_stream");
  return [...values].map(([name, value]) =>
    channelPropertyEvent(channel, name, value, audience, companions(name, next)),
  );
}

function companions(name: string, next: NextChannel) {
  if (name === "description") return { rendered_description: next.renderedDescription };
  if (name !== "invite_only") return {};
  return {
    history_public_to_subscribers: next.historyPublicToSubscribers,
    is_web_public: next.isWebPublic,
  };
}

/** What the same are told of its permissions, and older clients of who may post. */
export function settingEvents(
  channel: Channel,
  settings: readonly ChangedGroupSetting[],
  systemGroups: SystemGroupIds,
  audience: Audience,
): NewEvent[] {
  const told = (name: string, value: ChangedGroupSetting["value"] | boolean) =>
    channelPropertyEvent(channel, name, value, audience);
  return settings.flatMap(({ name, before, value }) => {
    const event = told(name, value);
    const policy = postPolicy(value, systemGroups);
    const isOlder =
      name === channelPermissions.canSendMessageGroup.name &&
      policy !== postPolicy(before, systemGroups);
    if (!isOlder) return [event];
    return [event, told("stream_post_policy", policy), told("is_announcement_only", policy === 2)];
  });
}
