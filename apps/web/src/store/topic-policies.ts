import type { Snapshot } from "@carillon/client";
import { Keyed } from "./keyed.ts";
import { keyOf } from "./conversation.ts";
import type { Area, OrganizationEvent } from "./events.ts";

/** The protocol's numbers of visibility policies of topics. */
export const topicPolicies = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const;

interface Row {
  readonly stream_id: number;
  readonly topic_name: string;
  readonly visibility_policy: number;
}

/** The muted, unmuted and followed topics of the account, and the people that it mutes. */
export class TopicPolicies implements Area {
  readonly #policies = new Keyed<string, number>();
  readonly mutedUsers = new Keyed<number, true>();

  load(snapshot: Snapshot): void {
    const rows = (snapshot["user_topics"] ?? []) as readonly Row[];
    this.#policies.replace(rows.map((row) => [keyOfRow(row), row.visibility_policy]));
    this.#mute((snapshot["muted_users"] ?? []) as ReadonlyArray<{ id: number }>);
  }

  apply(event: OrganizationEvent): void {
    if (event.type === "user_topic") this.#policies.set(keyOfRow(event), event.visibility_policy);
    else if (event.type === "muted_users") this.#mute(event.muted_users);
  }

  of(channelId: number, topic: string): number {
    return this.#policies.get(keyOf({ channelId, topic })) ?? topicPolicies.inherit;
  }

  /** @param isChannelMuted what a topic without a policy inherits */
  isMuted(channelId: number, topic: string, isChannelMuted: boolean): boolean {
    const policy = this.of(channelId, topic);
    return policy === topicPolicies.inherit ? isChannelMuted : policy === topicPolicies.muted;
  }

  #mute(users: ReadonlyArray<{ readonly id: number }>): void {
    this.mutedUsers.replace(users.map(({ id }) => [id, true]));
  }
}

function keyOfRow({ stream_id, topic_name }: Row): string {
  return keyOf({ channelId: stream_id, topic: topic_name });
}
