import { loadAdministeredBots } from "@carillon/model";
import type { Section } from "../context/section.ts";

/** The bots that the caller may administer: their own, and for administrators all of them. */
export const realmBots: Section = {
  names: ["realm_bot"],
  async load({ tx, actor }) {
    const bots = await loadAdministeredBots(tx, actor.realmId, [actor]);
    return { realm_bots: bots.map(({ bot }) => bot) };
  },
};
