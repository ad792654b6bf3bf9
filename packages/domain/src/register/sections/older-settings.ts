import { loadOwnSettings } from "@carillon/model";
import type { Section } from "../context/section.ts";

/** By the names of their sections. */
const older = {
  update_display_settings: "twenty_four_hour_time",
  update_global_notifications: "pm_content_in_desktop_notifications",
} as const;

/**
 * Two settings where clients looked for them before there was `user_settings`: the terminal client of the package
 * index, 0.7.0, does not start without. Only for those who name the section.
 */
export const olderSettings: readonly Section[] = Object.entries(older).map(([section, name]) => ({
  names: [section],
  async load({ tx, realm, actor, named }) {
    if (!named) return {};
    return { [name]: (await loadOwnSettings(tx, realm, actor.id))[name] };
  },
}));
