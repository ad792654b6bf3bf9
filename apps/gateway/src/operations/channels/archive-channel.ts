import { archiveChannel as operation } from "@carillon/contract";
import { archiveChannel } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, ({ tx, path, actor }) =>
  archiveChannel(tx, actor, path.stream_id),
);
