import { listDrafts } from "../../drafts/list-drafts.ts";
import type { Section } from "../context/section.ts";

/** What the account has begun to write. */
export const drafts: Section = {
  names: ["drafts"],
  load: async ({ tx, actor }) => ({ drafts: await listDrafts(tx, actor.id) }),
};
