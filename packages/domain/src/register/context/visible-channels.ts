import { column, statement } from "@carillon/db";
import {
  type Channel,
  type ChannelPresenter,
  type Subscription,
  channelColumns,
  hasMetadataAccess,
  loadChannelPresenter,
  subscriptionColumns,
} from "@carillon/model";
import { inSlices } from "@carillon/kit";
import type { SnapshotContext } from "./section.ts";

/** A channel that the account sees, with its subscription: `active`, ended (false), or never there (null). */
export type VisibleChannel = Channel & ((Subscription & { active: boolean }) | { active: null });

export interface VisibleChannels {
  /** Sorted by name. */
  readonly channels: readonly VisibleChannel[];
  readonly presenter: ChannelPresenter;
}

/** Two sections show them; the second finds them here. */
const loaded = new WeakMap<SnapshotContext, Promise<VisibleChannels>>();

/**
 * Every channel whose metadata the account sees (channels.md §3), archived ones only for clients that know what that
 * is. Loaded once for a snapshot.
 */
export function visibleChannels(context: SnapshotContext): Promise<VisibleChannels> {
  const known = loaded.get(context);
  if (known) return known;
  const found = load(context);
  loaded.set(context, found);
  return found;
}

/**
 * No index leads from an account to its ended subscriptions, so each channel's is looked up by its key. A row is one
 * JSON text: forty columns of 4,000 channels kept the event loop for 0.2 s.
 */
const all = statement({
  name: "channels-with-own-subscription",
  text: `SELECT row_to_json(channel) AS channel FROM (
      SELECT ${channelColumns}, s.*
      FROM channels c LEFT JOIN LATERAL (
        SELECT ${subscriptionColumns}, s.active FROM subscriptions s
        WHERE s.channel_id = c.id AND s.user_id = $2 OFFSET 0
      ) s ON true
      WHERE c.realm_id = $1 AND ($3 OR NOT c.is_archived)
      ORDER BY lower(c.name)
    ) channel`,
  row: { channel: column.json<VisibleChannel>() },
});

async function load(context: SnapshotContext): Promise<VisibleChannels> {
  const { tx, realm, actor, memberships, capabilities } = context;
  const withArchived = capabilities.has("archived_channels");
  const rows = await tx.rows(all, [realm.id, actor.id, withArchived]);
  const seen = await inSlices(rows, ({ channel }) =>
    hasMetadataAccess(actor, channel, memberships, channel.active === true) ? [channel] : [],
  );
  const channels = seen.flat();
  return { channels, presenter: await loadChannelPresenter(tx, realm.id, channels) };
}
