import {
  type Channel,
  type ChangedGroupSetting,
  type SystemGroupIds,
  recordAudit,
} from "@carillon/model";
import type { NewEvent } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { storeDefaultChannel } from "../defaults/default-channel.ts";
import { propertyEvents, settingEvents } from "./change-events.ts";
import type { ChangedProperty } from "./changed-properties.ts";
import { changesSight } from "./changed-settings.ts";
import type { NextChannel } from "./next-channel.ts";
import { compareSight, type Sight } from "./sight.ts";
import { storeChannel } from "./store-channel.ts";

/** What is different of a channel, checked; its permissions are stored already. */
export interface CheckedChanges {
  /** The channel as it was. */
  readonly before: Channel;
  readonly next: NextChannel;
  readonly properties: readonly ChangedProperty[];
  readonly settings: readonly ChangedGroupSetting[];
}

/** Properties that decide who sees a channel. */
const privacy = ["invite_only", "is_web_public"];

/**
 * Stores what a channel is like from now on, and writes it down.
 * @param seenBy who has seen it so far, from `loadMetadataAudience`
 * @returns what those are told who see it, saw it, or both; nothing where nothing is different
 */
export async function applyChanges(
  tx: Tx,
  actorId: number,
  { before, next, properties, settings }: CheckedChanges,
  seenBy: string,
  systemGroups: SystemGroupIds,
): Promise<NewEvent[]> {
  const { id, realmId } = before;
  const changed = [...properties, ...settings];
  if (changed.length === 0) return [];
  const changes = (name: string) => properties.some((property) => property.name === name);
  await storeChannel(tx, id, next);
  if (changes("is_default_stream")) await storeDefaultChannel(tx, id, next.isDefault);
  recordAudit(
    tx,
    realmId,
    actorId,
    changed.map(({ name, before: old, value }) => ({
      type: "channel_setting_changed",
      data: { channel_id: id, setting: name, old, new: value },
    })),
  );
  const mayDiffer = privacy.some(changes) || changesSight(settings);
  const sight: Sight = mayDiffer
    ? await compareSight(tx, before, seenBy)
    : { audience: seenBy, events: [] };
  return [
    ...sight.events,
    ...settingEvents(before, settings, systemGroups, sight.audience),
    ...propertyEvents(before, next, properties, sight.audience),
  ];
}
