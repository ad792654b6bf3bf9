import { listReminders } from "@carillon/contract";
import { listScheduled, reminderListing } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { inPages } from "../../http/pages.ts";

/** In pages, as scheduled messages are listed. */
export default handle.reads(listReminders, async ({ sql, snapshot, actor }) => {
  const list = await snapshot((tx) => listScheduled(tx, reminderListing, actor.id));
  return { reminders: inPages(list, sql) };
});
