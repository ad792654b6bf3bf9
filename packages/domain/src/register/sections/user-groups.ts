import { listUserGroups } from "@carillon/model";
import type { Section } from "../context/section.ts";

/** The user groups, guests' snapshots included; deactivated ones for clients that know of them. */
export const userGroups: Section = {
  names: ["realm_user_groups"],
  async load({ tx, realm, capabilities }) {
    const deactivated = capabilities.has("include_deactivated_groups");
    return { realm_user_groups: await listUserGroups(tx, realm.id, { deactivated }) };
  },
};
