import { listStatuses } from "../../user-status/read-status.ts";
import type { Section } from "../context/section.ts";

/** What people say of themselves. */
export const userStatus: Section = {
  names: ["user_status"],
  load: async ({ tx, actor }) => ({ user_status: await listStatuses(tx, actor) }),
};
