import {
  type Channel,
  type ChangedGroupSetting,
  type SystemGroupIds,
  writeAudit,
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

/** What came of storing changes. */
export interface AppliedChanges {
  /** What those are told who see the channel, saw it, or both. */
  readonly events: readonly NewEvent[];
  /** The lines of the audit log that tell what was and what is; none where nothing is different. */
  readonly auditIds: readonly number[];
}

/** Properties that decide who sees a channel. */
const privacy = ["invite_only", "is_web_public"];

/**
 * Stores what a channel is like from now on, and writes it down.
 * @param seenBy who has seen it so far, from `loadMetadataAudience`
 */
export async function applyChanges(
  tx: Tx,
  actorId: number,
  { before, next, properties, settings }: CheckedChanges,
  seenBy: string,
  systemGroups: SystemGroupIds,
): Promise<AppliedChanges> {
  const { id, realmId } = before;
  const changed = [...properties, ...settings];
  if (changed.length === 0) return { events: [], auditIds: [] };
  const changes = (name: string) => properties.some((property) => property.name === name);
  await storeChannel(tx, id, next);
  if (changes("is_default_stream")) await storeDefaultChannel(tx, id, next.isDefault);
  const auditIds = await writeAudit(
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
  const events = [
    ...sight.events,
    ...settingEvents(before, settings, systemGroups, sight.audience),
    ...propertyEvents(before, next, properties, sight.audience),
  ];
  return { events, auditIds };
}
