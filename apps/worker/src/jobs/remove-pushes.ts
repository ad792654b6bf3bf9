import { prepareRemovals } from "@carillon/domain";
import { removePushes } from "@carillon/jobs";

import { notifyProcessor } from "../notify-processor.ts";
import { splitNotifications } from "../split-notifications.ts";

/** Takes messages off the devices of those who have read them, or do not see them any more. */
export default notifyProcessor(removePushes, {
  type: "remove",
  prepare: (tx, site, { realmId, payload }) => prepareRemovals(tx, site, realmId, payload.removals),
  split: ({ removals }, { notifications }, again) =>
    splitNotifications(removals, notifications, again)?.map((part) => ({ removals: part })),
});
