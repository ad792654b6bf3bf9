import { listMutedUsers } from "../../muted-users/muted-users.ts";
import type { Section } from "../context/section.ts";

/** Whom the account does not want to hear from. */
export const mutedUsers: Section = {
  names: ["muted_users"],
  load: async ({ tx, actor }) => ({ muted_users: await listMutedUsers(tx, actor.id) }),
};
