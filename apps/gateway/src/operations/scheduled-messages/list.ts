import { listScheduledMessages } from "@carillon/contract";
import { beginScheduledList, scheduledListing, scheduledPages } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { Pages } from "../../http/pages.ts";

/** Ten thousand messages of 10 KB would take 200 MB of a gateway for each request. */
export default handle.reads(listScheduledMessages, async ({ sql, snapshot, actor }) => {
  const begun = await snapshot((tx) => beginScheduledList(tx, scheduledListing, actor.id));
  if (begun.rest.length === 0) return { scheduled_messages: begun.first };
  return {
    scheduled_messages: new Pages(() => scheduledPages(sql, scheduledListing, actor.id, begun)),
  };
});
