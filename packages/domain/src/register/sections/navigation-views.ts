import { listNavigationViews } from "../../navigation-views/list-views.ts";
import type { Section } from "../context/section.ts";

/** What the account has said of views of its navigation. */
export const navigationViews: Section = {
  names: ["navigation_views"],
  load: async ({ tx, actor }) => ({ navigation_views: await listNavigationViews(tx, actor.id) }),
};
