import {
  addDefaultChannel,
  addSubscriptions,
  archiveChannel,
  channelPermissions,
  createChannel,
  deleteTopic,
  muteTopic,
  removeDefaultChannel,
  removeSubscriptions,
  setTopicPolicy,
  updateChannel,
  updateSubscriptionProperties,
  updateSubscriptionProperty,
  updateSubscriptions,
} from "@carillon/contract";
import { unique } from "@carillon/testkit";

import {
  groupValue,
  idsOf,
  maybe,
  pick,
  some,
  someone,
  someoneInCharge,
  step,
  type Walk,
  type WalkStep,
} from "./walk.ts";

export const topics = ["", "lunch", "rain", "sun"];
const permissions = Object.values(channelPermissions).map(({ name }) => name);
/** Permissions that show a private channel. */
const showing = [
  channelPermissions.canAdministerChannelGroup.name,
  channelPermissions.canAddSubscribersGroup.name,
  channelPermissions.canSubscribeGroup.name,
];
const nameOf = (walk: Walk) => pick(walk, walk.channels).name;
const principals = (walk: Walk) => (maybe(walk) ? undefined : idsOf(some(walk, walk.accounts)));

/** A channel of each privacy. */
const privacy = (walk: Walk) =>
  pick(walk, [
    { is_private: true },
    { is_private: true, history_public_to_subscribers: true, is_web_public: false },
    { is_private: false, is_web_public: false },
    { is_private: false, is_web_public: true },
  ]);

/** A change of a channel by its administrators. */
function change(walk: Walk): Readonly<Record<string, unknown>> {
  return pick(walk, [
    { description: unique("about *this*"), new_name: unique("renamed") },
    { new_name: unique("called") },
    privacy(walk),
    privacy(walk),
    {
      ...privacy(walk),
      new_name: unique("moved"),
      [pick(walk, showing)]: { new: groupValue(walk) },
    },
    { is_default_stream: maybe(walk) },
    { message_retention_days: pick(walk, [7, "unlimited", "realm_default"]) },
    { topics_policy: pick(walk, ["inherit", "disable_empty_topic", "empty_topic_only"]) },
    { folder_id: walk.folders.length > 0 && maybe(walk) ? pick(walk, walk.folders) : null },
    { [pick(walk, permissions)]: { new: groupValue(walk) } },
    { [pick(walk, showing)]: { new: groupValue(walk) } },
    {
      [pick(walk, showing)]: { new: groupValue(walk) },
      [pick(walk, showing)]: { new: groupValue(walk) },
    },
    { is_archived: false },
    { is_archived: false, ...privacy(walk) },
    { is_archived: false, [pick(walk, showing)]: { new: groupValue(walk) } },
  ]);
}

/** Steps of channels, subscriptions and topics. */
export const channelSteps: readonly WalkStep[] = [
  step(createChannel, 2, (walk) => {
    const name = unique("room");
    const params = {
      name,
      subscribers: idsOf(some(walk, walk.accounts)),
      invite_only: maybe(walk),
      is_default_stream: walk.chance.below(5) === 0,
      ...(walk.folders.length > 0 && maybe(walk) ? { folder_id: pick(walk, walk.folders) } : {}),
      ...(walk.chance.below(3) === 0 ? { can_administer_channel_group: groupValue(walk) } : {}),
      ...(walk.chance.below(3) === 0 ? { can_subscribe_group: groupValue(walk) } : {}),
    };
    const onSuccess = (made: Readonly<Record<string, unknown>>) =>
      void walk.channels.push({ id: made["id"] as number, name });
    return { by: someone(walk), params, onSuccess };
  }),
  step(addSubscriptions, 5, (walk) => {
    const names = maybe(walk) ? [nameOf(walk)] : [nameOf(walk), nameOf(walk)];
    const by = pick(walk, [someone, someoneInCharge])(walk);
    const params = {
      subscriptions: names.map((name) => ({ name })),
      principals: principals(walk),
      authorization_errors_fatal: maybe(walk),
    };
    return { by, params };
  }),
  step(removeSubscriptions, 4, (walk) => ({
    by: pick(walk, [someone, someoneInCharge])(walk),
    params: { subscriptions: [nameOf(walk)], principals: principals(walk) },
  })),
  step(updateSubscriptions, 2, (walk) => ({
    by: someone(walk),
    params: { add: [{ name: nameOf(walk) }], delete: [nameOf(walk)] },
  })),
  step(updateChannel, 12, (walk) => {
    const channel = pick(walk, walk.channels);
    const params = change(walk);
    const { new_name } = params;
    return {
      by: pick(walk, [someone, someoneInCharge, someoneInCharge])(walk),
      path: { stream_id: channel.id },
      params,
      onSuccess: () => void Object.assign(channel, new_name ? { name: new_name } : {}),
    };
  }),
  step(archiveChannel, 2, (walk) => ({
    by: someoneInCharge(walk),
    path: { stream_id: pick(walk, walk.channels).id },
  })),
  step(addDefaultChannel, 1, (walk) => ({
    by: someoneInCharge(walk),
    params: { stream_id: pick(walk, walk.channels).id },
  })),
  step(removeDefaultChannel, 1, (walk) => ({
    by: someoneInCharge(walk),
    params: { stream_id: pick(walk, walk.channels).id },
  })),
  step(updateSubscriptionProperties, 3, (walk) => {
    const change = pick(walk, [
      { property: "color", value: pick(walk, ["#c2c2c2", "#a6c7e5"]) },
      { property: "is_muted", value: maybe(walk) },
      { property: "pin_to_top", value: maybe(walk) },
      { property: "push_notifications", value: maybe(walk) },
    ]);
    const subscription_data = [{ stream_id: pick(walk, walk.channels).id, ...change }];
    return { by: someone(walk), params: { subscription_data } };
  }),
  step(updateSubscriptionProperty, 1, (walk) => ({
    by: someone(walk),
    path: { stream_id: pick(walk, walk.channels).id },
    params: pick(walk, [
      { property: "color", value: "#76ce90" },
      { property: "in_home_view", value: maybe(walk) },
    ]),
  })),
  step(deleteTopic, 2, (walk) => ({
    by: someoneInCharge(walk),
    path: { stream_id: pick(walk, walk.channels).id },
    params: { topic_name: pick(walk, topics) },
  })),
  step(setTopicPolicy, 3, (walk) => ({
    by: someone(walk),
    params: {
      stream_id: pick(walk, walk.channels).id,
      topic: pick(walk, topics),
      visibility_policy: walk.chance.below(4),
    },
  })),
  step(muteTopic, 1, (walk) => ({
    by: someone(walk),
    params: {
      stream_id: pick(walk, walk.channels).id,
      topic: pick(walk, topics),
      op: pick(walk, ["add", "remove"]),
    },
  })),
];
