import type { Item } from "./client-model-lists.ts";

/** `unread_msgs` of a snapshot. */
export interface UnreadSnapshot {
  count: number;
  pms: Array<{ other_user_id: number; sender_id: number; unread_message_ids: number[] }>;
  streams: Array<{ stream_id: number; topic: string; unread_message_ids: number[] }>;
  huddles: Array<{ user_ids_string: string; unread_message_ids: number[] }>;
  mentions: number[];
  old_unreads_missing: boolean;
}

/** The place of an unread message: a key of the conversation, and its channel if there is one. */
export interface UnreadMessage {
  readonly conversation: string;
  readonly channelId: number | undefined;
  readonly topic: string;
  readonly mentioned: boolean;
}

/** The details of a message that becomes unread again. */
export interface UnreadDetail {
  readonly type: "stream" | "private";
  readonly stream_id?: number;
  readonly topic?: string;
  readonly user_ids?: readonly number[];
  readonly mentioned?: true;
}

/** The details of a `message` event's message. */
export interface ToldMessage extends Item {
  readonly id: number;
  readonly type: "stream" | "private";
  readonly stream_id?: number;
  readonly subject: string;
  readonly display_recipient: string | ReadonlyArray<{ readonly id: number }>;
}

const mentions = ["mentioned", "stream_wildcard_mentioned", "topic_wildcard_mentioned"];

/** The account's unread messages. */
export class UnreadModel {
  readonly messages = new Map<number, UnreadMessage>();
  readonly #ownId: number;

  constructor(snapshot: UnreadSnapshot, ownId: number) {
    this.#ownId = ownId;
    const mentioned = new Set(snapshot.mentions);
    const add = (ids: number[], place: Omit<UnreadMessage, "mentioned">) => {
      for (const id of ids) this.messages.set(id, { ...place, mentioned: mentioned.has(id) });
    };
    for (const { stream_id, topic, unread_message_ids } of snapshot.streams)
      add(unread_message_ids, inTopic(stream_id, topic));
    for (const { other_user_id, unread_message_ids } of snapshot.pms)
      add(unread_message_ids, between([other_user_id, ownId]));
    for (const { user_ids_string, unread_message_ids } of snapshot.huddles)
      add(unread_message_ids, between(user_ids_string.split(",").map(Number)));
  }

  add({ id, stream_id, subject, display_recipient }: ToldMessage, flags: readonly string[]): void {
    if (flags.includes("read")) return;
    const place =
      typeof display_recipient === "string"
        ? inTopic(stream_id ?? 0, subject)
        : between([...display_recipient.map((person) => person.id), this.#ownId]);
    const mentioned = mentions.some((flag) => flags.includes(flag));
    this.messages.set(id, { ...place, mentioned });
  }

  /** @throws Error if details of a message are missing, or if it is unread already */
  markUnread(ids: readonly number[], details: Readonly<Record<string, UnreadDetail>>): void {
    for (const id of ids) {
      const detail = details[id];
      if (!detail) throw new Error(`nothing is said of message ${id}`);
      if (this.messages.has(id)) throw new Error(`message ${id} was unread already`);
      const { type, stream_id, topic, user_ids, mentioned = false } = detail;
      const place =
        type === "stream"
          ? inTopic(stream_id ?? 0, topic ?? "")
          : between([...(user_ids ?? []), this.#ownId]);
      this.messages.set(id, { ...place, mentioned });
    }
  }

  /** Moves messages; omitted fields stay. */
  move(
    ids: readonly number[],
    to: { readonly channelId: number | undefined; readonly topic: string | undefined },
  ): void {
    for (const id of ids) {
      const known = this.messages.get(id);
      if (known?.channelId === undefined) continue;
      const place = inTopic(to.channelId ?? known.channelId, to.topic ?? known.topic);
      this.messages.set(id, { ...place, mentioned: known.mentioned });
    }
  }

  /** @param flags the message's current flags, which include mentions of the account */
  call(id: number, flags: readonly string[]): void {
    const known = this.messages.get(id);
    const mentioned = mentions.some((flag) => flags.includes(flag));
    if (known) this.messages.set(id, { ...known, mentioned });
  }

  markRead(ids: readonly number[] | "all"): void {
    if (ids === "all") this.messages.clear();
    else for (const id of ids) this.messages.delete(id);
  }
}

function inTopic(channelId: number, topic: string): Omit<UnreadMessage, "mentioned"> {
  return { conversation: `${channelId} ${topic.toLowerCase()}`, channelId, topic };
}

function between(ids: readonly number[]): Omit<UnreadMessage, "mentioned"> {
  const people = [...new Set(ids)].toSorted((a, b) => a - b);
  return { conversation: `with ${people.join()}`, channelId: undefined, topic: "" };
}
