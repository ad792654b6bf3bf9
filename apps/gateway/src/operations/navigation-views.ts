import * as contract from "@carillon/contract";
import {
  addNavigationView,
  listNavigationViews,
  removeNavigationView,
  updateNavigationView,
} from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.reads(contract.listNavigationViews, async ({ sql, actor }) => ({
    navigation_views: await listNavigationViews(sql, actor.id),
  })),

  handle.changes(contract.addNavigationView, ({ tx, input, actor }) =>
    addNavigationView(tx, actor, input),
  ),

  handle.changes(contract.updateNavigationView, ({ tx, path, input, actor }) =>
    updateNavigationView(tx, actor, path.fragment, input),
  ),

  handle.changes(contract.removeNavigationView, ({ tx, path, actor }) =>
    removeNavigationView(tx, actor, path.fragment),
  ),
];
