import { listChannels as operation } from "@carillon/contract";
import { listChannels } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, async ({ input, actor, services }) => ({
  streams: await services.db.transaction(
    (tx) =>
      listChannels(tx, actor, {
        public: input.include_public,
        subscribed: input.include_subscribed,
        webPublic: input.include_web_public,
        all: input.include_all,
        ownerSubscribed: input.include_owner_subscribed,
        contentAccess: input.include_can_access_content,
        archived: !input.exclude_archived,
        withDefault: input.include_default,
      }),
    { mode: "repeatable read read only" },
  ),
}));
