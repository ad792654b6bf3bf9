import { registerClientDevice } from "@carillon/contract";
import { createDevice } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(registerClientDevice, async ({ tx, actor }) => ({
  device_id: await createDevice(tx, actor),
}));
