import { preparePushes, recordOvertaken } from "@carillon/domain";
import { sendPushes } from "@carillon/jobs";

import { notifyProcessor } from "../notify-processor.ts";
import { splitNotifications } from "../split-notifications.ts";

/** Pushes messages to the devices of receivers who have not read them. */
export default notifyProcessor(sendPushes, {
  type: "message",
  prepare: (tx, site, { realmId, payload }) => preparePushes(tx, site, realmId, payload.pushes),
  split: ({ pushes }, { notifications }) =>
    splitNotifications(pushes, notifications)?.map((part) => ({ pushes: part })),
  // An earlier call may have notified more devices.
  settle: (tx, { realmId, payload, called }, call) =>
    recordOvertaken(tx, realmId, called ? payload.pushes : call.pushes),
});
