import type { Snapshot } from "@carillon/client";
import { signal } from "@preact/signals";
import { type Conversation, conversationOf, keyOf, othersOf } from "./conversation.ts";
import type { Area, OrganizationEvent } from "./events.ts";

/** The section `unread_msgs` of the snapshot (clients.md §3). */
interface Section {
  readonly pms: ReadonlyArray<{ other_user_id: number; unread_message_ids: readonly number[] }>;
  readonly streams: ReadonlyArray<{
    stream_id: number;
    topic: string;
    unread_message_ids: readonly number[];
  }>;
  readonly huddles: ReadonlyArray<{
    user_ids_string: string;
    unread_message_ids: readonly number[];
  }>;
  readonly mentions: readonly number[];
}

/** The unread messages of one conversation. */
export interface UnreadGroup {
  readonly conversation: Conversation;
  readonly ids: ReadonlySet<number>;
}

/** Which messages are unread, by conversation. */
export class Unread implements Area {
  readonly #me: number;
  readonly #groups = new Map<string, { conversation: Conversation; ids: Set<number> }>();
  /** The group of each unread message. */
  readonly #keys = new Map<number, string>();
  readonly #mentions = new Set<number>();
  readonly #version = signal(0);

  constructor(me: number) {
    this.#me = me;
  }

  load(snapshot: Snapshot): void {
    const section = snapshot["unread_msgs"] as Section | undefined;
    this.#groups.clear();
    this.#keys.clear();
    this.#mentions.clear();
    for (const { stream_id, topic, unread_message_ids } of section?.streams ?? [])
      this.#add({ channelId: stream_id, topic }, unread_message_ids);
    for (const { other_user_id, unread_message_ids } of section?.pms ?? [])
      this.#add({ others: othersOf([other_user_id], this.#me) }, unread_message_ids);
    for (const { user_ids_string, unread_message_ids } of section?.huddles ?? [])
      this.#add(
        { others: othersOf(user_ids_string.split(",").map(Number), this.#me) },
        unread_message_ids,
      );
    for (const id of section?.mentions ?? []) this.#mentions.add(id);
    this.#version.value++;
  }

  apply(event: OrganizationEvent): void {
    switch (event.type) {
      case "message":
        if (event.flags.includes("read")) return;
        this.#add(conversationOf(event.message, this.#me), [event.message.id]);
        if (event.flags.some((flag) => flag.endsWith("mentioned")))
          this.#mentions.add(event.message.id);
        break;
      case "update_message_flags":
        if (event.flag !== "read") return;
        if (event.op === "remove") this.#addDetails(event.message_details ?? {});
        else this.#remove(event.all ? [...this.#keys.keys()] : event.messages);
        break;
      case "delete_message":
        this.#remove(event.message_ids);
        break;
      case "update_message":
        this.#move(event);
        break;
      case "subscription":
        if (event.op !== "remove") return;
        for (const { stream_id } of event.subscriptions) this.#removeChannel(stream_id);
        break;
      default:
        return;
    }
    this.#version.value++;
  }

  has(id: number): boolean {
    void this.#version.value;
    return this.#keys.has(id);
  }

  /** The conversations with unread messages. */
  groups(): UnreadGroup[] {
    void this.#version.value;
    return [...this.#groups.values()];
  }

  countOf(conversation: Conversation): number {
    void this.#version.value;
    return this.#groups.get(keyOf(conversation))?.ids.size ?? 0;
  }

  get mentions(): number {
    void this.#version.value;
    return this.#mentions.size;
  }

  #add(conversation: Conversation, ids: Iterable<number>): void {
    const key = keyOf(conversation);
    const group = this.#groups.get(key) ?? { conversation, ids: new Set<number>() };
    this.#groups.set(key, group);
    for (const id of ids) {
      group.ids.add(id);
      this.#keys.set(id, key);
    }
  }

  #addDetails(
    details: NonNullable<
      Extract<OrganizationEvent, { type: "update_message_flags"; op: "remove" }>["message_details"]
    >,
  ): void {
    for (const [text, { stream_id, topic = "", user_ids = [], mentioned }] of Object.entries(
      details,
    )) {
      const id = Number(text);
      const conversation =
        stream_id === undefined
          ? { others: othersOf(user_ids, this.#me) }
          : { channelId: stream_id, topic };
      this.#add(conversation, [id]);
      if (mentioned) this.#mentions.add(id);
    }
  }

  #remove(ids: Iterable<number>): void {
    for (const id of ids) {
      const key = this.#keys.get(id);
      if (key === undefined) continue;
      this.#keys.delete(id);
      this.#mentions.delete(id);
      const group = this.#groups.get(key);
      group?.ids.delete(id);
      if (group?.ids.size === 0) this.#groups.delete(key);
    }
  }

  #removeChannel(channelId: number): void {
    for (const { conversation, ids } of this.#groups.values())
      if ("channelId" in conversation && conversation.channelId === channelId)
        this.#remove([...ids]);
  }

  #move(event: Extract<OrganizationEvent, { type: "update_message" }>): void {
    const { message_ids, stream_id, subject, orig_subject, new_stream_id } = event;
    if (stream_id === undefined || (subject === undefined && new_stream_id === undefined)) return;
    const moved = message_ids.filter((id) => this.#keys.has(id));
    const mentions = moved.filter((id) => this.#mentions.has(id));
    this.#remove(moved);
    if (moved.length > 0)
      this.#add(
        { channelId: new_stream_id ?? stream_id, topic: subject ?? orig_subject ?? "" },
        moved,
      );
    for (const id of mentions) this.#mentions.add(id);
  }
}
