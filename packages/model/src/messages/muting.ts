import { visibilityPolicy } from "./visibility-policy.ts";
import type { Fragment } from "../sql/sql-values.ts";
import type { Reader } from "./reader.ts";

const { inherit, muted, unmuted, followed } = visibilityPolicy;

/**
 * Whether the viewer muted what the message `m` is in (messages.md §2.4): its topic; or, with `channels`, its
 * channel, unless the topic is unmuted or followed.
 */
export function isMuted(viewer: Reader, { channels }: { channels: boolean }): Fragment {
  return (values) => {
    const me = values.add(viewer.id, "int");
    const policyOf = `SELECT t.visibility_policy FROM user_topics t
      WHERE t.user_id = ${me} AND t.channel_id = r.channel_id AND lower(t.topic) = lower(m.topic)`;
    const channelMuted = channels
      ? `OR EXISTS (SELECT 1 FROM subscriptions s
          WHERE s.channel_id = r.channel_id AND s.user_id = ${me} AND s.active AND s.is_muted)
        AND coalesce((${policyOf}), ${inherit}) NOT IN (${unmuted}, ${followed})`
      : "";
    return `m.is_channel AND EXISTS (SELECT 1 FROM recipients r WHERE r.id = m.recipient_id AND (
      coalesce((${policyOf}), ${inherit}) = ${muted} ${channelMuted}) OFFSET 0)`;
  };
}

/** Whether the viewer follows the topic of the message `m`. */
export function isFollowed(viewer: Reader): Fragment {
  return (values) => `m.is_channel AND EXISTS (
    SELECT 1 FROM recipients r JOIN user_topics t ON t.channel_id = r.channel_id
    WHERE r.id = m.recipient_id AND t.user_id = ${values.add(viewer.id, "int")}
      AND lower(t.topic) = lower(m.topic) AND t.visibility_policy = ${followed} OFFSET 0)`;
}
