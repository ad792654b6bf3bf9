import { loadRealmDefaults, settingChoices } from "@carillon/model";
import type { Section } from "../context/section.ts";

/** The settings that new accounts get a copy of. */
export const settingsDefaults: Section = {
  names: ["realm_user_settings_defaults"],
  async load({ tx, realm }) {
    const defaults = await loadRealmDefaults(tx, realm.id);
    return { realm_user_settings_defaults: { ...defaults, ...settingChoices } };
  },
};
