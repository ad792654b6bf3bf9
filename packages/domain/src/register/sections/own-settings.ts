import { loadOwnSettings, settingChoices } from "@carillon/model";
import type { Section } from "../context/section.ts";

/** The caller's own settings. */
export const ownSettings: Section = {
  names: ["user_settings"],
  async load({ tx, realm, actor }) {
    const settings = await loadOwnSettings(tx, realm, actor.id);
    return { user_settings: { ...settings, ...settingChoices } };
  },
};
