import {
  addSubscriptions,
  deleteMessage,
  deleteTopic,
  removeSubscriptions,
  sendMessage,
  updateChannel,
  updateMessage,
  updateUser,
  updateUserGroupMembers,
  archiveChannel,
  type Operation,
} from "@carillon/contract";
import type { Gateway, TestAccount } from "@carillon/testkit";

import type { Chance } from "../../../faults/support/chance.ts";
import type { ModelChannel, ModelUser, VisibilityModel } from "./model.ts";

/** A growing history: requests to the server, and their effects on the model. */
export interface History {
  readonly gateway: Gateway;
  readonly chance: Chance;
  readonly model: VisibilityModel;
  /** Subscribed to every channel permanently; makes the requests that require permissions. */
  readonly owner: TestAccount;
  readonly accounts: ReadonlyMap<number, TestAccount>;
  readonly teamId: number;
  /** IDs of people without bots, whose role affects no other account. */
  readonly changingRole: readonly number[];
  readonly names: ReadonlyMap<number, string>;
  /** The requests so far, for failure messages. */
  readonly story: string[];
  /** Counts of steps that were taken and that succeeded, by kind. */
  readonly done: Map<string, number>;
}

export function draw<T>({ chance }: History, from: readonly T[]): T {
  const drawn = from[chance.below(from.length)];
  if (drawn === undefined) throw new Error("nothing to draw from");
  return drawn;
}

const privacies: Readonly<Record<ModelChannel["privacy"], object>> = {
  "web-public": { is_private: false, is_web_public: true, history_public_to_subscribers: true },
  public: { is_private: false, is_web_public: false, history_public_to_subscribers: true },
  "private, shared": {
    is_private: true,
    is_web_public: false,
    history_public_to_subscribers: true,
  },
  "private, protected": {
    is_private: true,
    is_web_public: false,
    history_public_to_subscribers: false,
  },
};

const topics = ["soup", "lunch"];

/** Each message has one of these words, and the common word. */
export const words = ["salad", "bread", "apple"];
const content = (word: string) => `hello **${word}**`;

interface Asked {
  readonly by: TestAccount;
  readonly operation: Operation;
  readonly path?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, unknown>>;
  /** The effect on the model if the request succeeds. */
  readonly onSuccess: (answer: Readonly<Record<string, unknown>>) => void;
}

type Maker = (history: History) => Asked;

const join: Maker = (history) => {
  const [user, channel] = someUserAndChannel(history);
  return {
    by: history.owner,
    operation: addSubscriptions,
    params: {
      subscriptions: [{ name: history.names.get(channel.id) }],
      principals: [user.id],
    },
    onSuccess: () => void channel.subscribers.add(user.id),
  };
};

const leave: Maker = (history) => {
  const [user, channel] = someSubscriberAndChannel(history);
  return {
    by: accountOf(history, user),
    operation: removeSubscriptions,
    params: { subscriptions: [history.names.get(channel.id)] },
    onSuccess: () => void channel.subscribers.delete(user.id),
  };
};

const post: Maker = (history) => {
  const some = history.chance.below(4) === 0 ? someUserAndChannel : someSubscriberAndChannel;
  const [user, channel] = some(history);
  const topic = draw(history, topics);
  const word = draw(history, words);
  return {
    by: accountOf(history, user),
    operation: sendMessage,
    params: { type: "channel", to: channel.id, topic, content: content(word) },
    onSuccess: ({ id }) => {
      const receivedBy = new Set(channel.subscribers);
      history.model.messages.push({ id: Number(id), channel, topic, word, receivedBy });
    },
  };
};

const write: Maker = (history) => {
  const { users } = history.model;
  const [user, ...others] = [draw(history, users), draw(history, users), draw(history, users)];
  const to = others.slice(history.chance.below(2)).map(({ id }) => id);
  const word = draw(history, words);
  return {
    by: accountOf(history, user),
    operation: sendMessage,
    params: { type: "direct", to, content: content(word) },
    onSuccess: ({ id }) => {
      const receivedBy = new Set([user.id, ...to]);
      history.model.messages.push({
        id: Number(id),
        channel: undefined,
        topic: "",
        word,
        receivedBy,
      });
    },
  };
};

const changePrivacy: Maker = (history) => {
  const channel = draw(history, history.model.channels);
  const privacy = draw(history, Object.keys(privacies) as Array<ModelChannel["privacy"]>);
  return {
    by: history.owner,
    operation: updateChannel,
    path: { stream_id: channel.id },
    params: { ...privacies[privacy] },
    onSuccess: () => void (channel.privacy = privacy),
  };
};

const archiveOrNot: Maker = (history) => {
  const channel = draw(history, history.model.channels);
  const to = !channel.isArchived;
  const asked = to
    ? { operation: archiveChannel }
    : { operation: updateChannel, params: { is_archived: false } };
  return {
    by: history.owner,
    path: { stream_id: channel.id },
    ...asked,
    onSuccess: () => void (channel.isArchived = to),
  };
};

const dropTopic: Maker = (history) => {
  const channel = draw(history, history.model.channels);
  const topic = draw(history, topics);
  return {
    by: history.owner,
    operation: deleteTopic,
    path: { stream_id: channel.id },
    params: { topic_name: topic },
    onSuccess: () => {
      const { model } = history;
      model.messages = model.messages.filter(
        (message) => message.channel !== channel || message.topic !== topic,
      );
    },
  };
};

/** A message of any channel that the owner reads, or of a conversation of the owner. */
const dropMessage: Maker = (history) => {
  const { model, owner } = history;
  const dropped = model.messages.length > 0 ? draw(history, model.messages) : undefined;
  return {
    by: owner,
    operation: deleteMessage,
    path: { message_id: dropped?.id ?? 1 },
    onSuccess: () => void (model.messages = model.messages.filter((one) => one !== dropped)),
  };
};

/** Moves one message or its whole topic to another topic, another channel or both. */
const move: Maker = (history) => {
  const { model } = history;
  const inChannels = model.messages.filter(({ channel }) => channel !== undefined);
  const moved = inChannels.length > 0 ? draw(history, inChannels) : undefined;
  const channel = draw(history, model.channels);
  const topic = draw(history, topics);
  const propagate_mode = draw(history, ["change_one", "change_all"]);
  return {
    by: history.owner,
    operation: updateMessage,
    path: { message_id: moved?.id ?? 1 },
    params: {
      stream_id: channel.id,
      topic,
      propagate_mode,
      send_notification_to_new_thread: false,
    },
    onSuccess: () => {
      model.messages = model.messages.map((message) => {
        const goesAlong =
          propagate_mode === "change_all" &&
          message.channel === moved?.channel &&
          message.topic === moved?.topic;
        if (message !== moved && !goesAlong) return message;
        const receivedBy =
          message.channel === channel ? message.receivedBy : receivedThere(message, channel);
        return { ...message, channel, topic, receivedBy };
      });
    },
  };
};

/** The accounts with a copy of a message moved to a channel (messages.md §6.2). */
function receivedThere(
  { receivedBy }: { readonly receivedBy: ReadonlySet<number> },
  { privacy, subscribers }: ModelChannel,
): ReadonlySet<number> {
  if (privacy === "private, protected") return new Set(subscribers);
  return new Set([...receivedBy].filter((id) => subscribers.has(id)));
}

const changeTeam: Maker = (history) => {
  const { team, users } = history.model;
  const { id } = draw(history, users);
  const isIn = team.has(id);
  return {
    by: history.owner,
    operation: updateUserGroupMembers,
    path: { user_group_id: history.teamId },
    params: { [isIn ? "delete" : "add"]: [id] },
    onSuccess: () => void (isIn ? team.delete(id) : team.add(id)),
  };
};

const changeRole: Maker = (history) => {
  const { model, changingRole } = history;
  const user = draw(
    history,
    model.users.filter(({ id }) => changingRole.includes(id)),
  );
  const isGuest = !user.isGuest;
  return {
    by: history.owner,
    operation: updateUser,
    path: { user_id: user.id },
    params: { role: isGuest ? 600 : 400 },
    onSuccess: () => void (user.isGuest = isGuest),
  };
};

function someUserAndChannel(history: History): [ModelUser, ModelChannel] {
  const { users, channels } = history.model;
  return [
    draw(
      history,
      users.filter(({ id }) => id !== history.owner.id),
    ),
    draw(history, channels),
  ];
}

/** A subscriber of a random channel, or any account if it has none. */
function someSubscriberAndChannel(history: History): [ModelUser, ModelChannel] {
  const [user, channel] = someUserAndChannel(history);
  const { owner, model } = history;
  const subscribers = model.users.filter(
    ({ id }) => id !== owner.id && channel.subscribers.has(id),
  );
  return [subscribers.length > 0 ? draw(history, subscribers) : user, channel];
}

function accountOf({ accounts }: History, { id }: ModelUser): TestAccount {
  const account = accounts.get(id);
  if (!account) throw new Error(`nobody has the id ${id}`);
  return account;
}

const makers: ReadonlyArray<readonly [name: string, weight: number, make: Maker]> = [
  ["join", 6, join],
  ["leave", 4, leave],
  ["post", 12, post],
  ["write", 3, write],
  ["change the privacy", 4, changePrivacy],
  ["archive or bring back", 1, archiveOrNot],
  ["delete a topic", 1, dropTopic],
  ["delete a message", 2, dropMessage],
  ["move messages", 4, move],
  ["change the team", 2, changeTeam],
  ["change a role", 1, changeRole],
];

const drawn = makers.flatMap(([name, weight, make]) =>
  Array.from({ length: weight }, () => ({ name, make })),
);

/** Takes a step. A refused step leaves the model unchanged; permissions are not tested here. */
export async function takeStep(history: History): Promise<void> {
  const { name, make } = draw(history, drawn);
  const { by, operation, path, params, onSuccess } = make(history);
  const { status, body } = await history.gateway
    .as(by)
    .call(operation, { ...(path ? { path } : {}), ...(params ? { params } : {}) });
  const what = `${name}: ${by.id} ${JSON.stringify({ ...path, ...params })}`;
  history.story.push(`${what}: ${status}`);
  if (status !== 200) return;
  onSuccess(body);
  history.done.set(name, (history.done.get(name) ?? 0) + 1);
}
