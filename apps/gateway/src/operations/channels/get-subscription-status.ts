import { getSubscriptionStatus } from "@carillon/contract";
import { readSubscriptionStatus } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(getSubscriptionStatus, async ({ snapshot, path, actor }) => ({
  is_subscribed: await snapshot((sql) =>
    readSubscriptionStatus(sql, actor, path.user_id, path.stream_id),
  ),
}));
