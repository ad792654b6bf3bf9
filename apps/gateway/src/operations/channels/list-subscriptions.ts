import { listSubscriptions as operation } from "@carillon/contract";
import { listSubscriptions } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, async ({ input, actor, services }) => ({
  subscriptions: await services.db.transaction(
    (tx) => listSubscriptions(tx, actor, { subscribers: input.include_subscribers !== false }),
    { mode: "repeatable read read only" },
  ),
}));
