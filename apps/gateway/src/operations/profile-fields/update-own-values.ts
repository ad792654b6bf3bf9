import { updateOwnProfile as operation } from "@carillon/contract";
import { updateOwnProfile } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, ({ tx, input, actor }) =>
  updateOwnProfile(tx, actor, input.data),
);
