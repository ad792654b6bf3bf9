import type { Snapshot } from "@carillon/client";
import { signal } from "@preact/signals";
import { conversationOf, keyOf } from "./conversation.ts";
import type { Area, OrganizationEvent } from "./events.ts";

interface Recent {
  /** Everyone else; empty for notes to oneself. */
  readonly others: readonly number[];
  readonly newest: number;
}

/** The direct conversations of the account, the latest first. */
export class Conversations implements Area {
  readonly recent = signal<readonly Recent[]>([]);
  readonly #me: number;

  constructor(me: number) {
    this.#me = me;
  }

  load(snapshot: Snapshot): void {
    const section = (snapshot["recent_private_conversations"] ?? []) as ReadonlyArray<{
      user_ids: readonly number[];
      max_message_id: number;
    }>;
    this.recent.value = section
      .map(({ user_ids, max_message_id }) => ({
        others: user_ids.toSorted((a, b) => a - b),
        newest: max_message_id,
      }))
      .toSorted((a, b) => b.newest - a.newest);
  }

  apply(event: OrganizationEvent): void {
    if (event.type !== "message" || event.message.type !== "private") return;
    const conversation = conversationOf(event.message, this.#me);
    if (!("others" in conversation)) return;
    const { others } = conversation;
    const rest = this.recent.value.filter((one) => keyOf(one) !== keyOf(conversation));
    this.recent.value = [{ others, newest: event.message.id }, ...rest];
  }
}
