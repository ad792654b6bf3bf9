import { visibilityPolicy } from "@carillon/model";
import { expect } from "chai";

import { type PushFacts, triggerOf } from "./candidates.ts";

const { muted, unmuted, followed } = visibilityPolicy;

/** A channel message that mentions no one, to an account with default settings. */
const plain: PushFacts = {
  isDirect: false,
  mention: undefined,
  topicWildcard: false,
  channelWildcard: false,
  policy: visibilityPolicy.inherit,
  channelMuted: false,
  channelPush: null,
  channelWildcards: null,
  offline: true,
  online: false,
  followed: true,
  followedWildcards: true,
  wildcards: true,
  channels: false,
  present: false,
};

type Case = readonly [what: string, facts: Partial<PushFacts>, wanted: string | undefined];

const personal = { kind: "personal" } as const;
const group = { kind: "group", id: 7 } as const;

const rows: Readonly<Record<string, readonly Case[]>> = {
  "direct message": [
    ["is pushed", { isDirect: true }, "direct_message"],
    ["with the setting off is not", { isDirect: true, offline: false }, undefined],
    [
      "with a mention is still a direct message",
      { isDirect: true, mention: personal, topicWildcard: true },
      "direct_message",
    ],
  ],
  mention: [
    ["is pushed", { mention: personal }, "mention"],
    ["of a group is pushed", { mention: group }, "mention 7"],
    ["goes before wildcards", { mention: group, channelWildcard: true }, "mention 7"],
    ["in a muted topic is pushed", { mention: personal, policy: muted }, "mention"],
    ["in a muted channel is pushed", { mention: group, channelMuted: true }, "mention 7"],
    ["with the setting off is not", { mention: personal, offline: false }, undefined],
    [
      "with the setting off may be one of a followed topic",
      { mention: personal, offline: false, policy: followed },
      "followed_topic",
    ],
  ],
  "followed-topic wildcard": [
    ["of a topic is pushed", { topicWildcard: true, policy: followed }, "followed_topic_wildcard"],
    [
      "of a channel is pushed",
      { channelWildcard: true, policy: followed },
      "followed_topic_wildcard",
    ],
    [
      "in a muted channel is pushed",
      { channelWildcard: true, policy: followed, channelMuted: true },
      "followed_topic_wildcard",
    ],
    [
      "with its setting off is an ordinary wildcard",
      { channelWildcard: true, policy: followed, followedWildcards: false },
      "wildcard",
    ],
    [
      "with offline notifications off counts as followed topic only",
      { channelWildcard: true, policy: followed, offline: false },
      "followed_topic",
    ],
  ],
  wildcard: [
    ["of a topic is pushed", { topicWildcard: true }, "wildcard"],
    ["of a channel is pushed", { channelWildcard: true }, "wildcard"],
    ["with the setting off is not", { channelWildcard: true, wildcards: false }, undefined],
    [
      "prefers the channel's own setting",
      { channelWildcard: true, wildcards: false, channelWildcards: true },
      "wildcard",
    ],
    [
      "is off if the channel's own setting is off",
      { channelWildcard: true, channelWildcards: false },
      undefined,
    ],
    ["with offline notifications off is not", { topicWildcard: true, offline: false }, undefined],
    ["in a muted topic is not", { topicWildcard: true, policy: muted }, undefined],
    ["in a muted channel is not", { topicWildcard: true, channelMuted: true }, undefined],
    [
      "in an unmuted topic of a muted channel is pushed",
      { topicWildcard: true, channelMuted: true, policy: unmuted },
      "wildcard",
    ],
    [
      "in a followed topic of a muted channel is pushed",
      { topicWildcard: true, channelMuted: true, policy: followed, followedWildcards: false },
      "wildcard",
    ],
  ],
  "followed topic": [
    ["is pushed", { policy: followed }, "followed_topic"],
    ["in a muted channel is pushed", { policy: followed, channelMuted: true }, "followed_topic"],
    ["does not need offline notifications", { policy: followed, offline: false }, "followed_topic"],
    ["with its setting off is not", { policy: followed, followed: false }, undefined],
    [
      "with its setting off may be one of a channel",
      { policy: followed, followed: false, channelPush: true, channelMuted: true },
      "channel",
    ],
  ],
  channel: [
    ["is not pushed", {}, undefined],
    ["with the setting on is pushed", { channels: true }, "channel"],
    ["prefers its own setting", { channelPush: true }, "channel"],
    ["is off if its own setting is off", { channels: true, channelPush: false }, undefined],
    ["does not need offline notifications", { channelPush: true, offline: false }, "channel"],
    ["that is muted is not", { channelPush: true, channelMuted: true }, undefined],
    ["with a muted topic is not", { channelPush: true, policy: muted }, undefined],
    [
      "that is muted, with an unmuted topic, is pushed",
      { channelPush: true, channelMuted: true, policy: unmuted },
      "channel",
    ],
  ],
  "present receiver": [
    ["gets nothing", { isDirect: true, present: true }, undefined],
    [
      "gets everything with enable_online_push_notifications",
      { isDirect: true, present: true, online: true },
      "direct_message",
    ],
    ["gets no mention", { mention: personal, present: true }, undefined],
  ],
};

describe("The trigger of a push (push.md §9)", () => {
  for (const [row, cases] of Object.entries(rows))
    for (const [what, facts, wanted] of cases)
      it(`${row}: ${what}`, () => {
        const found = triggerOf({ ...plain, ...facts });
        const said = found && [found.trigger, ...(found.groupId ? [found.groupId] : [])].join(" ");
        expect(said).to.equal(wanted);
      });
});
