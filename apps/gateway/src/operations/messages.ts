import * as contract from "@carillon/contract";
import {
  addSubmessage,
  changeMessage,
  deleteMessage,
  matchMessages,
  messageHistory,
  readMessage,
  readReceipts,
  renderText,
  reportMessage,
} from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.reads(contract.getMessage, ({ snapshot, input, path, actor, client, services }) =>
    snapshot((sql) =>
      readMessage(sql, actor, {
        id: path.message_id,
        applyMarkdown: input.apply_markdown,
        allowEmptyTopicName: input.allow_empty_topic_name,
        siteUrl: services.site.url,
        needs: contract.needsOf(client),
      }),
    ),
  ),

  handle.reads(contract.matchNarrow, async ({ snapshot, input, actor }) => ({
    messages: await snapshot((sql) =>
      matchMessages(sql, actor, { ids: input.msg_ids, narrow: input.narrow }),
    ),
  })),

  handle.reads(contract.getMessageHistory, async ({ snapshot, input, path, actor }) => ({
    message_history: await snapshot((sql) =>
      messageHistory(sql, actor, {
        id: path.message_id,
        allowEmptyTopicName: input.allow_empty_topic_name,
      }),
    ),
  })),

  handle.reads(contract.getReadReceipts, async ({ snapshot, path, actor }) => ({
    user_ids: await snapshot((sql) => readReceipts(sql, actor, path.message_id)),
  })),

  handle.reads(contract.renderMessageText, async ({ sql, input, actor, services }) => ({
    rendered: await renderText(sql, services.site, actor, input.content),
  })),

  handle.prepared(
    contract.updateMessage,
    ({ db, input, path, actor, services: { site } }) =>
      changeMessage({ db, site }, actor, path.message_id, {
        content: input.content,
        topic: input.topic,
        channelId: input.stream_id,
        propagateMode: input.propagate_mode,
        notifyOldTopic: input.send_notification_to_old_thread,
        notifyNewTopic: input.send_notification_to_new_thread,
        previousHash: input.prev_content_sha256,
      }),
    (detached: contract.AttachmentObject[]) => ({ detached_uploads: detached }),
  ),

  handle.prepared(
    contract.deleteMessage,
    ({ db, path, actor }) => deleteMessage(db, actor, path.message_id),
    () => ({}),
  ),

  handle.changes(contract.reportMessage, async ({ tx, input, path, actor }) => {
    const { report_type: type, description } = input;
    await reportMessage(tx, actor, { messageId: path.message_id, type, description });
  }),

  handle.changes(contract.addSubmessage, async ({ tx, input, actor }) => {
    const { message_id: messageId, msg_type: type, content } = input;
    await addSubmessage(tx, actor, { messageId, type, content });
  }),
];
