import { errors } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import type { RenderedMessage } from "@carillon/markdown";

import { groupSettings, realmSettings } from "../permissions/registry.ts";
import type { Account } from "../users/account.ts";
import type { CheckFacts } from "./check-facts.ts";
import type { Target } from "./draft.ts";
import type { NamedGroup } from "./mention-lookups.ts";
import { topicParticipants } from "./topics.ts";

/** Up to so many subscribers or participants anybody may mention them all. */
const manyUsers = 15;

/**
 * Whether the sender may mention whom the text mentions (scheduled-messages.md §0.4.8).
 * @throws ApiError `STREAM_WILDCARD_MENTION_NOT_ALLOWED`, `TOPIC_WILDCARD_MENTION_NOT_ALLOWED`; `BAD_REQUEST` for a group
 */
export async function checkMentions(
  sql: Sql,
  facts: CheckFacts,
  groups: ReadonlyMap<number, NamedGroup>,
  message: { sender: Account; target: Target; topic: string; rendered: RenderedMessage },
): Promise<void> {
  const { sender, target, topic, rendered } = message;
  if (target.kind === "channel") {
    const mayMentionMany = () =>
      facts.memberships.holds(
        sender,
        realmSettings.canMentionManyUsersGroup,
        facts.realm.groups.canMentionManyUsersGroup,
      );
    const { channel } = target;
    if (rendered.channelWildcard && channel.subscriberCount > manyUsers && !mayMentionMany())
      throw errors.streamWildcardMentionNotAllowed();
    if (rendered.topicWildcard && !mayMentionMany()) {
      const participants = await topicParticipants(sql, {
        recipientId: channel.recipientId,
        topic,
      });
      if (participants.length > manyUsers) throw errors.topicWildcardMentionNotAllowed();
    }
  }
  for (const id of rendered.mentionedGroupIds) {
    const group = groups.get(id);
    if (
      !group ||
      !facts.memberships.holds(sender, groupSettings.canMentionGroup, group.canMentionGroupId)
    )
      throw errors.badRequest(`You may not mention the group ${group?.name ?? id}`);
  }
}
