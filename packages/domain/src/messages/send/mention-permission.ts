import { type Account, type Target, exactTopicKey } from "@carillon/model";
import { errors, groupPermissions, realmPermissions } from "@carillon/contract";
import type { RenderedMessage } from "@carillon/markdown";

import { type CheckFacts, manyUsers } from "./check-facts.ts";

/**
 * Checks that the sender may mention the groups and wildcards of the text (scheduled-messages.md §0.4.8).
 * @throws ApiError `STREAM_WILDCARD_MENTION_NOT_ALLOWED`, `TOPIC_WILDCARD_MENTION_NOT_ALLOWED`; `BAD_REQUEST` for a group
 */
export function checkMentions(
  facts: CheckFacts,
  message: { sender: Account; target: Target; topic: string; rendered: RenderedMessage },
): void {
  const { sender, target, topic, rendered } = message;
  if (target.kind === "channel") {
    const canMentionMany = () =>
      facts.memberships.holds(
        sender,
        realmPermissions.canMentionManyUsersGroup,
        facts.realm.groups.canMentionManyUsersGroup,
      );
    const { channel } = target;
    if (rendered.channelWildcard && channel.subscriberCount > manyUsers && !canMentionMany())
      throw errors.streamWildcardMentionNotAllowed();
    const spelling = exactTopicKey({ recipientId: channel.recipientId, topic });
    const participants = facts.participants.get(spelling) ?? 0;
    if (rendered.topicWildcard && participants > manyUsers && !canMentionMany())
      throw errors.topicWildcardMentionNotAllowed();
  }
  for (const id of rendered.mentionedGroupIds) {
    const group = facts.lookups.groupsById.get(id);
    if (
      !group ||
      !facts.memberships.holds(sender, groupPermissions.canMentionGroup, group.canMentionGroupId)
    )
      throw errors.badRequest(`You may not mention the group ${group?.name ?? id}`);
  }
}
