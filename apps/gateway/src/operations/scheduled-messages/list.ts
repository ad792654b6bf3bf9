import { listScheduledMessages } from "@carillon/contract";
import { listScheduled, scheduledListing } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { inPages } from "../../http/pages.ts";

/** Ten thousand messages of 10 KB would take 200 MB of a gateway for each request. */
export default handle.reads(listScheduledMessages, async ({ sql, snapshot, actor }) => {
  const list = await snapshot((tx) => listScheduled(tx, scheduledListing, actor.id));
  return { scheduled_messages: inPages(list, sql) };
});
