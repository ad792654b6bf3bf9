import {
  type Account,
  checkDescription,
  defaultChannelsEvent,
  loadSystemGroups,
  recordAudit,
  renderChannelDescription,
} from "@carillon/model";
import type { NewEvent } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { postChannelNotices } from "../notices/post-channel-notice.ts";
import { openChannel } from "../rights/open-channel.ts";
import { propertyEvents, settingEvents } from "./change-events.ts";
import { changeNotices } from "./change-notices.ts";
import { changedProperties } from "./changed-properties.ts";
import { changeChannelSettings, changesSight } from "./changed-settings.ts";
import { asksForSettings, type ChannelChanges } from "./channel-changes.ts";
import { isDefaultChannel, storeDefaultChannel } from "../defaults/default-channel.ts";
import { checkNextChannel, type Description } from "./next-channel.ts";
import { compareSight, seenBy } from "./sight.ts";
import { storeChannel } from "./store-channel.ts";

/** What decides who sees a channel. */
const privacy = ["invite_only", "is_web_public"];

/**
 * Changes a channel, archived ones too (channels.md §5): everything is checked, in the documented order, before
 * anything changes. What is as it should be already is neither told nor written down.
 * @throws ApiError `BAD_REQUEST`, `CANNOT_ADMINISTER_CHANNEL`, `UNAUTHORIZED_PRINCIPAL`, `CHANNEL_ALREADY_EXISTS`,
 *   `EXPECTATION_MISMATCH`; nothing has changed then
 */
export async function updateChannel(
  tx: Tx,
  account: Account,
  channelId: number,
  wanted: ChannelChanges,
): Promise<void> {
  const description = describe(wanted.description);
  const open = await openChannel(
    tx,
    account,
    channelId,
    needsGraphAlone(wanted) ? "alone" : "shared",
  );
  const { actor, channel, realm } = open;
  const [systemGroups, isDefault, before] = await Promise.all([
    loadSystemGroups(tx, realm.id),
    isDefaultChannel(tx, channelId),
    seenBy(tx, realm.id, channelId),
  ]);
  const facts = { description, isDefault, systemGroups };
  const next = await checkNextChannel(tx, open, wanted, facts);
  const settings = await changeChannelSettings(tx, open, wanted.settings, systemGroups);

  const properties = changedProperties({ ...channel, isDefault }, next);
  const changed = [...properties, ...settings];
  if (changed.length === 0) return;
  const changes = (name: string) => properties.some((property) => property.name === name);
  await storeChannel(tx, channelId, next);
  if (changes("is_default_stream")) await storeDefaultChannel(tx, channelId, next.isDefault);
  recordAudit(
    tx,
    realm.id,
    actor.id,
    changed.map(({ name, before: old, value }) => ({
      type: "channel_setting_changed",
      data: { channel_id: channelId, setting: name, old, new: value },
    })),
  );
  const said = await changeNotices(tx, actor, { before: channel, next, properties, settings });
  const notices = await postChannelNotices(
    tx,
    realm,
    actor,
    said.map((notice) => ({ channelId, notice })),
  );
  const mayDiffer = privacy.some(changes) || changesSight(settings);
  const sight = await compareSight(tx, channel, before, mayDiffer);
  const defaults: NewEvent[] = changes("is_default_stream")
    ? [await defaultChannelsEvent(tx, realm.id)]
    : [];
  emit(tx, realm.id, [
    ...sight.events,
    ...settingEvents(channel, settings, systemGroups, sight.audience),
    ...propertyEvents(channel, next, properties, sight.audience),
    ...defaults,
    ...notices,
  ]);
}

/** @throws ApiError `BAD_REQUEST` */
function describe(asked: string | undefined): Description | undefined {
  if (asked === undefined) return undefined;
  const description = checkDescription(asked);
  return { description, renderedDescription: renderChannelDescription(description) };
}

/** Others who hold the group graph go by the permissions of channels, their names, and the list of default ones. */
function needsGraphAlone(wanted: ChannelChanges): boolean {
  return asksForSettings(wanted) || wanted.newName !== undefined || wanted.isDefault !== undefined;
}
