import type { Message } from "@carillon/client";
import { signal, type Signal } from "@preact/signals";
import type { OrganizationEvent } from "./events.ts";

/** The messages of the current view. Each is a signal, so that an edit or a reaction redraws its row only. */
export class Messages {
  readonly #byId = new Map<number, Signal<Message>>();

  get(id: number): Signal<Message> | undefined {
    return this.#byId.get(id);
  }

  /** Keeps a message, replacing an older state of it. */
  put(message: Message): void {
    const known = this.#byId.get(message.id);
    if (known) known.value = message;
    else this.#byId.set(message.id, signal(message));
  }

  /** Forgets messages that no view shows any more. */
  keepOnly(ids: ReadonlySet<number>): void {
    for (const id of this.#byId.keys()) if (!ids.has(id)) this.#byId.delete(id);
  }

  apply(event: OrganizationEvent): void {
    switch (event.type) {
      case "update_message":
        this.#update(event);
        break;
      case "delete_message":
        for (const id of event.message_ids) this.#byId.delete(id);
        break;
      case "update_message_flags":
        this.#flag(event);
        break;
      case "reaction":
        this.#react(event);
        break;
      case "submessage":
        this.#change(event.message_id, (message) => ({
          submessages: [
            ...message.submessages.filter(({ id }) => id !== event.submessage_id),
            {
              id: event.submessage_id,
              message_id: event.message_id,
              sender_id: event.sender_id,
              msg_type: event.msg_type,
              content: event.content,
            },
          ],
        }));
        break;
      default:
    }
  }

  #change(id: number, changesOf: (message: Message) => Partial<Message>): void {
    const known = this.#byId.get(id);
    if (known) known.value = { ...known.value, ...changesOf(known.value) };
  }

  #update(event: Extract<OrganizationEvent, { type: "update_message" }>): void {
    const { rendered_content, rendering_only, edit_timestamp, is_me_message } = event;
    if (rendered_content !== undefined)
      this.#change(event.message_id, (message) => ({
        content: rendered_content,
        // The highlights of a search belong to the earlier text.
        ...(message.match_content !== undefined && { match_content: rendered_content }),
        is_me_message: is_me_message ?? message.is_me_message,
        flags: [...new Set([...event.flags, ...message.flags.filter((flag) => kept.has(flag))])],
        ...(!rendering_only && { last_edit_timestamp: edit_timestamp }),
      }));
    const { subject, new_stream_id, topic_links } = event;
    if (subject === undefined && new_stream_id === undefined) return;
    for (const id of event.message_ids)
      this.#change(id, (message) => ({
        subject: subject ?? message.subject,
        ...(message.match_subject !== undefined && { match_subject: "" }),
        stream_id: new_stream_id ?? message.stream_id ?? 0,
        topic_links: topic_links ?? message.topic_links,
        last_moved_timestamp: edit_timestamp,
      }));
  }

  #flag(event: Extract<OrganizationEvent, { type: "update_message_flags" }>): void {
    const ids = event.all ? this.#byId.keys() : event.messages;
    for (const id of ids)
      this.#change(id, ({ flags }) => {
        const others = flags.filter((flag) => flag !== event.flag);
        return { flags: event.op === "add" ? [...others, event.flag] : others };
      });
  }

  #react(event: Extract<OrganizationEvent, { type: "reaction" }>): void {
    const { user_id, emoji_name, emoji_code, reaction_type } = event;
    this.#change(event.message_id, ({ reactions }) => {
      const others = reactions.filter(
        (one) =>
          one.user_id !== user_id ||
          one.emoji_code !== emoji_code ||
          one.reaction_type !== reaction_type,
      );
      const added = { user_id, emoji_name, emoji_code, reaction_type };
      return { reactions: event.op === "add" ? [...others, added] : others };
    });
  }
}

/** Flags that an edit does not change. */
const kept = new Set(["read", "starred", "collapsed", "historical"]);
