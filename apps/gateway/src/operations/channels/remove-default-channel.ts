import { removeDefaultChannel } from "@carillon/contract";
import { changeDefaultChannel } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(removeDefaultChannel, ({ tx, input, actor }) =>
  changeDefaultChannel(tx, actor, input.stream_id, false),
);
