import { removeNavigationView } from "@carillon/contract";
import { removeNavigationView as remove } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(removeNavigationView, ({ tx, path, actor }) =>
  remove(tx, actor, path.fragment),
);
