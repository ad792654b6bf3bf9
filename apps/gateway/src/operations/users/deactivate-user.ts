import { deactivateUser as operation } from "@carillon/contract";
import { deactivateUser } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.inSteps(operation, ({ input, path, actor, services }) =>
  deactivateUser(services.db, actor, path.user_id, {
    actions: input.actions,
    comment: input.deactivation_notification_comment,
  }),
);
