import { removeOwnProfile } from "@carillon/contract";
import { updateOwnProfile } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(removeOwnProfile, ({ tx, input, actor }) =>
  updateOwnProfile(
    tx,
    actor,
    input.data.map((id) => ({ id, value: null })),
  ),
);
