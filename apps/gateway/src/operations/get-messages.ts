import * as contract from "@carillon/contract";
import { presentMessages, presentPage, readMessages, readNextPage } from "@carillon/domain";
import { handle } from "../handle.ts";
import { Pages } from "../http/pages.ts";

/**
 * `GET /messages` (messages.md §1). The messages of the answer are chosen at once; their texts are read page by page
 * while the answer is sent, each page in its own transaction, so that a slow client holds neither rows nor a
 * connection.
 */
export default handle.reads(
  contract.getMessages,
  async ({ snapshot, input, actor, client, services }) => {
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
        needs: contract.needsOf(client),
      }),
    );
    const form = {
      applyMarkdown: input.apply_markdown,
      siteUrl: services.site.url,
      clientGravatar: input.client_gravatar,
      allowEmptyTopicName: input.allow_empty_topic_name,
    };
    const answer = await presentMessages(retrieval, actor, form);
    let { rest } = retrieval.page.loaded;
    if (rest.length === 0) return answer;
    // Release the first page once it is sent; the closure below lives until the last page is sent.
    let first: typeof answer.messages | undefined = answer.messages;
    const { realm, search, needs } = retrieval;
    return {
      ...answer,
      messages: new Pages(async function* () {
        if (first) yield first;
        first = undefined;
        while (rest.length > 0) {
          const ids = rest;
          const page = await snapshot((sql) => readNextPage(sql, actor, { search, needs }, ids));
          rest = page.loaded.rest;
          yield await presentPage({ realm }, page, actor, form);
        }
      }),
    };
  },
);
