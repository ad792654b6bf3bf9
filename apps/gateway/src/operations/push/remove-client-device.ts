import { removeClientDevice } from "@carillon/contract";
import { removeDevice } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(removeClientDevice, ({ tx, input, actor }) =>
  removeDevice(tx, actor, input.device_id),
);
