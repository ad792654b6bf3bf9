import { listReminders } from "@carillon/contract";
import { beginScheduledList, reminderListing, scheduledPages } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { Pages } from "../../http/pages.ts";

/** In pages, as scheduled messages are listed. */
export default handle.reads(listReminders, async ({ sql, snapshot, actor }) => {
  const begun = await snapshot((tx) => beginScheduledList(tx, reminderListing, actor.id));
  if (begun.rest.length === 0) return { reminders: begun.first };
  return { reminders: new Pages(() => scheduledPages(sql, reminderListing, actor.id, begun)) };
});
