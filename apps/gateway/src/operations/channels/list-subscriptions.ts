import { listSubscriptions as operation } from "@carillon/contract";
import { listSubscriptions } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(operation, async ({ snapshot, input, actor }) => ({
  subscriptions: await snapshot((sql) => listSubscriptions(sql, actor, input.include_subscribers)),
}));
