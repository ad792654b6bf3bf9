import { listChannels as operation } from "@carillon/contract";
import { listChannels } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(operation, async ({ snapshot, input, actor }) => ({
  streams: await snapshot((sql) =>
    listChannels(sql, actor, {
      public: input.include_public,
      subscribed: input.include_subscribed,
      webPublic: input.include_web_public,
      all: input.include_all,
      ownerSubscribed: input.include_owner_subscribed,
      contentAccess: input.include_can_access_content,
      archived: !input.exclude_archived,
      withDefault: input.include_default,
    }),
  ),
}));
