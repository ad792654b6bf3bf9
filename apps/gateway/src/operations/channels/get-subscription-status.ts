import { getSubscriptionStatus } from "@carillon/contract";
import { readSubscriptionStatus } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(getSubscriptionStatus, async ({ path, actor, services }) => ({
  is_subscribed: await services.db.transaction(
    (tx) => readSubscriptionStatus(tx, actor, path.user_id, path.stream_id),
    {
      mode: "repeatable read read only",
    },
  ),
}));
