import { getMessages, needsOf } from "@carillon/contract";
import { presentMessages, readMessages } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `GET /messages` (messages.md §1). */
export default handle.reads(getMessages, async ({ snapshot, input, actor, client, services }) => {
  const retrieval = await snapshot((sql) =>
    readMessages(sql, actor, {
      anchor: input.anchor,
      anchorDate: input.anchor_date,
      includeAnchor: input.include_anchor,
      useFirstUnreadAnchor: input.use_first_unread_anchor,
      numBefore: input.num_before,
      numAfter: input.num_after,
      messageIds: input.message_ids,
      narrow: input.narrow,
      needs: needsOf(client),
    }),
  );
  return presentMessages(retrieval, actor, {
    applyMarkdown: input.apply_markdown,
    siteUrl: services.site.url,
    clientGravatar: input.client_gravatar,
    allowEmptyTopicName: input.allow_empty_topic_name,
  });
});
