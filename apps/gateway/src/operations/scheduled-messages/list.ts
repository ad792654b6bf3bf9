import { listScheduledMessages } from "@carillon/contract";
import { listScheduled } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(listScheduledMessages, async ({ snapshot, actor }) => ({
  scheduled_messages: await snapshot((sql) => listScheduled(sql, actor.id)),
}));
