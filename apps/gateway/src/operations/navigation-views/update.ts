import { updateNavigationView } from "@carillon/contract";
import { updateNavigationView as update } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(updateNavigationView, ({ tx, path, input, actor }) =>
  update(tx, actor, path.fragment, input),
);
