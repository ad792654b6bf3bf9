import type { SnapshotContext } from "./section.ts";

/** What the client is told instead of the empty topic: its display name, unless the client knows the empty one. */
export function emptyTopicFor({ capabilities, realm }: SnapshotContext): string {
  return capabilities.has("empty_topic_name") ? "" : realm.emptyTopicDisplayName;
}
