import { markAllRead } from "@carillon/contract";
import { markAsRead } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `POST /mark_all_as_read` (messages.md §7). */
export default handle.inSteps(markAllRead, async ({ actor, services: { db } }) => ({
  complete: await markAsRead(db, actor, {}),
}));
