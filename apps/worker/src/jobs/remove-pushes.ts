import { prepareRemovals } from "@carillon/domain";
import { removePushes } from "@carillon/jobs";

import { notifyProcessor } from "../notify-processor.ts";
import { splitNotifications } from "../split-notifications.ts";

/** Removes notifications from the devices of accounts that have read their messages, or can no longer see them. */
export default notifyProcessor(removePushes, {
  type: "remove",
  prepare: (tx, site, { realmId, payload }) => prepareRemovals(tx, site, realmId, payload.removals),
  split: ({ removals }, { notifications }) =>
    splitNotifications(removals, notifications)?.map((part) => ({ removals: part })),
});
