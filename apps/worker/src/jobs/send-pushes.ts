import { preparePushes, recordOvertaken } from "@carillon/domain";
import { sendPushes } from "@carillon/jobs";

import { notifyProcessor } from "../notify-processor.ts";
import { splitNotifications } from "../split-notifications.ts";

/** Pushes messages to the devices of receivers who have not read them. */
export default notifyProcessor(sendPushes, {
  type: "message",
  prepare: (tx, site, { realmId, payload }) => preparePushes(tx, site, realmId, payload.pushes),
  split: ({ pushes }, { notifications }, again) =>
    splitNotifications(pushes, notifications, again)?.map((part) => ({ pushes: part })),
  settle: (tx, { realmId, payload }, call, again) =>
    recordOvertaken(tx, realmId, again ? payload.pushes : call.pushes),
});
