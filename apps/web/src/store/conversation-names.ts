import type { Channels } from "./channels.ts";
import type { Conversation } from "./conversation.ts";
import type { People } from "./people.ts";

/** The names of a conversation. They stay the same when a move of the organization changes all ids (docs/moving.md). */
export type ConversationNames =
  | { readonly channel: string; readonly topic: string }
  | { readonly people: readonly string[] };

/** The channels and people of an organization, with their names. */
export interface Named {
  readonly channels: Channels;
  readonly people: People;
}

/** Returns the names of a conversation; undefined if one of them is unknown. */
export function namesOf(
  conversation: Conversation,
  { channels, people }: Named,
): ConversationNames | undefined {
  if ("others" in conversation) {
    const names = conversation.others.flatMap((id) => people.nameOf(id) ?? []);
    return names.length === conversation.others.length ? { people: names } : undefined;
  }
  const channel = channels.nameOf(conversation.channelId);
  return channel === undefined ? undefined : { channel, topic: conversation.topic };
}

/** Returns the conversation with these names; undefined if there is none, or if two people have the same name. */
export function conversationNamed(
  names: ConversationNames,
  { channels, people }: Named,
): Conversation | undefined {
  if ("people" in names) {
    const all = people.byId.all();
    const found = names.people.map((name) => all.filter(({ full_name }) => full_name === name));
    if (found.some(({ length }) => length !== 1)) return undefined;
    return { others: found.flatMap(([one]) => one?.user_id ?? []).toSorted((a, b) => a - b) };
  }
  const channel = channels.byId.all().find(({ name }) => name === names.channel);
  return channel && { channelId: channel.stream_id, topic: names.topic };
}
