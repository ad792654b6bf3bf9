import { listScheduledMessages } from "@carillon/contract";
import { listScheduled } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(listScheduledMessages, async ({ actor, services }) => ({
  scheduled_messages: await services.db.transaction((tx) => listScheduled(tx, actor.id), {
    mode: "repeatable read read only",
  }),
}));
