import { isGuest } from "@carillon/contract";
import { column, statement } from "@carillon/db";

import type { Section } from "../context/section.ts";

const ofRealm = statement({
  name: "default-channels",
  text: `SELECT d.channel_id AS id FROM default_channels d JOIN channels c ON c.id = d.channel_id
    WHERE c.realm_id = $1 ORDER BY d.channel_id`,
  row: { id: column.int },
});

/** The channels that new members are subscribed to; guests are not, and are not told. */
export const defaultChannels: Section = {
  names: ["default_streams"],
  async load({ tx, realm, actor }) {
    if (isGuest(actor)) return { realm_default_streams: [] };
    const channels = await tx.rows(ofRealm, [realm.id]);
    return { realm_default_streams: channels.map(({ id }) => id) };
  },
};
