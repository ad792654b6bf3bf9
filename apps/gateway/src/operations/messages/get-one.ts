import { getMessage, needsOf } from "@carillon/contract";
import { readMessage } from "@carillon/domain";

import { handle } from "../../handle.ts";

/** `GET /messages/{message_id}` (messages.md §6.1). */
export default handle.reads(getMessage, ({ snapshot, input, path, actor, client, services }) =>
  snapshot((sql) =>
    readMessage(sql, actor, {
      id: path.message_id,
      applyMarkdown: input.apply_markdown,
      allowEmptyTopicName: input.allow_empty_topic_name,
      siteUrl: services.site.url,
      needs: needsOf(client),
    }),
  ),
);
