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
      "which mentions somebody is one all the same",
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
      "with its setting off is a wildcard like others",
      { channelWildcard: true, policy: followed, followedWildcards: false },
      "wildcard",
    ],
    [
      "with all notifications of being away off is only of a followed topic",
      { channelWildcard: true, policy: followed, offline: false },
      "followed_topic",
    ],
  ],
  wildcard: [
    ["of a topic is pushed", { topicWildcard: true }, "wildcard"],
    ["of a channel is pushed", { channelWildcard: true }, "wildcard"],
    ["with the setting off is not", { channelWildcard: true, wildcards: false }, undefined],
    [
      "follows the channel's own setting before all",
      { channelWildcard: true, wildcards: false, channelWildcards: true },
      "wildcard",
    ],
    [
      "follows the channel's own setting where it is off",
      { channelWildcard: true, channelWildcards: false },
      undefined,
    ],
    [
      "without the setting for being away is not",
      { topicWildcard: true, offline: false },
      undefined,
    ],
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
    ["needs no setting for being away", { policy: followed, offline: false }, "followed_topic"],
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
    ["follows its own setting before all", { channelPush: true }, "channel"],
    ["follows its own setting where it is off", { channels: true, channelPush: false }, undefined],
    ["needs no setting for being away", { channelPush: true, offline: false }, "channel"],
    ["that is muted is not", { channelPush: true, channelMuted: true }, undefined],
    ["with a muted topic is not", { channelPush: true, policy: muted }, undefined],
    [
      "that is muted, with an unmuted topic, is pushed",
      { channelPush: true, channelMuted: true, policy: unmuted },
      "channel",
    ],
  ],
  "somebody who is there": [
    ["gets nothing", { isDirect: true, present: true }, undefined],
    [
      "gets everything that they want",
      { isDirect: true, present: true, online: true },
      "direct_message",
    ],
    ["gets no mention", { mention: personal, present: true }, undefined],
  ],
};

describe("What a message is pushed for (push.md §9)", () => {
  for (const [row, cases] of Object.entries(rows))
    for (const [what, facts, wanted] of cases)
      it(`${row}: ${what}`, () => {
        const found = triggerOf({ ...plain, ...facts });
        const said = found && [found.trigger, ...(found.groupId ? [found.groupId] : [])].join(" ");
        expect(said).to.equal(wanted);
      });
});
