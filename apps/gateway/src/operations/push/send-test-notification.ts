import { sendTestNotification } from "@carillon/contract";
import { testPush } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.inSteps(sendTestNotification, ({ input, actor, signal, services }) =>
  testPush(services, actor, { deviceId: input.device_id, signal }),
);
