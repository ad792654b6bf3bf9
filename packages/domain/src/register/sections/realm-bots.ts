import { loadAdministeredBots } from "../../bots/administered-bots.ts";
import type { Section } from "../section.ts";

/** The bots that the caller may administer: their own, and for administrators all of them. */
export const realmBots: Section = {
  names: ["realm_bot"],
  async load({ tx, actor }) {
    const bots = await loadAdministeredBots(tx, actor.realmId, [actor]);
    return { realm_bots: bots.map(({ bot }) => bot) };
  },
};
