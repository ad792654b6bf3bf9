import { settingChoices } from "../../settings/choices.ts";
import { loadOwnSettings } from "../../settings/own-settings.ts";
import type { Section } from "../section.ts";

/** The caller's own settings. */
export const ownSettings: Section = {
  names: ["user_settings"],
  async load({ tx, realm, actor }) {
    const settings = await loadOwnSettings(tx, realm, actor.id);
    return { user_settings: { ...settings, ...settingChoices } };
  },
};
