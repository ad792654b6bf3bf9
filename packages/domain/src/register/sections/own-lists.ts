import { statement, typed } from "@carillon/db";
import { flag, loadOwnSettings, settingChoices } from "@carillon/model";

import { listAlertWords } from "../../alert-words/alert-words.ts";
import { listMutedUsers } from "../../muted-users.ts";
import { listDevices } from "../../push/devices/devices.ts";
import { listScheduled, reminderListing, scheduledListing } from "../../scheduled/list.ts";
import { listOwnSeries } from "../../scheduled/series/list-series.ts";
import type { Section } from "../../snapshot-section.ts";

/** The account's alert words, in the order in which they were added. */
export const alertWords: Section = {
  names: ["alert_words"],
  load: async ({ tx, actor }) => ({ alert_words: await listAlertWords(tx, actor) }),
};

/** The account's devices registered for push, by device id. */
export const devices: Section = {
  names: ["device"],
  load: async ({ tx, actor }) => ({ devices: await listDevices(tx, actor.id) }),
};

/** The users that the account has muted. */
export const mutedUsers: Section = {
  names: ["muted_users"],
  load: async ({ tx, actor }) => ({ muted_users: await listMutedUsers(tx, actor.id) }),
};

/** The account's pending reminders, as `GET /reminders` lists them. */
export const reminders: Section = {
  names: ["reminders"],
  load: async ({ tx, actor }) => ({
    reminders: await listScheduled(tx, reminderListing, actor.id),
  }),
};

/** The account's pending scheduled messages, as `GET /scheduled_messages` lists them. */
export const scheduledMessages: Section = {
  names: ["scheduled_messages"],
  load: async ({ tx, actor }) => ({
    scheduled_messages: await listScheduled(tx, scheduledListing, actor.id),
  }),
};

/** The series that the account has written or manages. */
export const messageSeriesSection: Section = {
  names: ["message_series"],
  optIn: true,
  load: async ({ tx, actor }) => ({ message_series: await listOwnSeries(tx, actor) }),
};

const starredBy = statement({
  name: "starred-messages",
  // Returned as one JSON text: 20,000 rows blocked the event loop for 20 ms.
  text: `SELECT coalesce(json_agg(message_id ORDER BY message_id), '[]') AS ids FROM user_messages
    WHERE user_id = $1 AND flags & ${flag.starred} <> 0`,
  overrides: { ids: typed<number[]>() },
});

/** The ids of the messages that the account has starred, ascending. */
export const starredMessages: Section = {
  names: ["starred_messages"],
  async load({ tx, actor }) {
    const starred = await tx.first(starredBy, [actor.id]);
    return { starred_messages: starred?.ids ?? [] };
  },
};

/** The account's own settings. */
export const ownSettings: Section = {
  names: ["user_settings"],
  async load({ tx, realm, actor }) {
    const settings = await loadOwnSettings(tx, realm, actor.id);
    return { user_settings: { ...settings, ...settingChoices } };
  },
};

/** Settings by the names of their sections. */
const older = {
  update_display_settings: "twenty_four_hour_time",
  update_global_notifications: "pm_content_in_desktop_notifications",
} as const;

/**
 * Two settings in the place that clients used before `user_settings`: the terminal client in version 0.7.0 on the
 * Python package index does not start without them. Sent only to clients that name the section.
 */
export const olderSettings: readonly Section[] = Object.entries(older).map(([section, name]) => ({
  names: [section],
  async load({ tx, realm, actor, named }) {
    if (!named) return {};
    return { [name]: (await loadOwnSettings(tx, realm, actor.id))[name] };
  },
}));
