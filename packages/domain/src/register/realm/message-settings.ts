import { contentDeleteLimit, contentEditLimit, moveLimit, type Realm } from "@carillon/model";
import type { RealmRow } from "./realm-row.ts";

/** What the organization wants of messages and topics. */
export function messageSettings(realm: Realm, row: RealmRow) {
  return {
    realm_allow_message_editing: true,
    realm_message_content_edit_limit_seconds: contentEditLimit,
    realm_message_content_delete_limit_seconds: contentDeleteLimit,
    realm_move_messages_within_stream_limit_seconds: moveLimit,
    realm_move_messages_between_streams_limit_seconds: moveLimit,
    realm_allow_edit_history: realm.editHistoryPolicy !== "none",
    realm_message_edit_history_visibility_policy: realm.editHistoryPolicy,
    realm_message_retention_days: row.messageRetentionDays ?? -1,
    realm_enable_read_receipts: realm.enableReadReceipts,
    realm_topics_policy: realm.topicsPolicy,
    realm_mandatory_topics: realm.topicsPolicy === "disable_empty_topic",
    realm_empty_topic_display_name: realm.emptyTopicDisplayName,
  };
}
