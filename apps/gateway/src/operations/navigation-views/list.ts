import { listNavigationViews } from "@carillon/contract";
import { listNavigationViews as list } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(listNavigationViews, async ({ sql, actor }) => ({
  navigation_views: await list(sql, actor.id),
}));
