import * as contract from "@carillon/contract";
import { changeDefaultChannel } from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.changes(contract.addDefaultChannel, ({ tx, input, actor }) =>
    changeDefaultChannel(tx, actor, input.stream_id, true),
  ),

  handle.changes(contract.removeDefaultChannel, ({ tx, input, actor }) =>
    changeDefaultChannel(tx, actor, input.stream_id, false),
  ),
];
