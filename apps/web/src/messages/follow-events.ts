import type { Message } from "@carillon/client";
import type { Term } from "../route.ts";
import type { Item } from "../store/events.ts";
import type { Organization } from "../store/organization.ts";
import { matches } from "./matches.ts";
import type { MessageWindow } from "./message-window.ts";

/** Maximum moved messages that are read again. */
const mostMoved = 1_000;

/**
 * Applies events to the loaded messages of a view: adds new and moved ones that match it, and removes deleted and moved ones.
 * @returns a function that ends this
 */
export function followEvents(
  organization: Organization,
  terms: readonly Term[],
  shown: MessageWindow,
): () => void {
  const { client, me, messages: store } = organization;

  async function addNew(message: Message): Promise<void> {
    if (!shown.hasNewest.value) return;
    const isMatch = matches(message, terms, me);
    if (isMatch) shown.insert([message]);
    if (isMatch !== undefined) return;
    const { messages } = await client.matchNarrow({ msg_ids: [message.id], narrow: terms });
    const found = messages[message.id];
    if (found && !shown.isClosed) shown.insert([{ ...message, ...found }]);
  }

  function move(ids: readonly number[]): void {
    const known = ids.flatMap((id) => store.get(id)?.peek() ?? []);
    const gone = known.filter((message) => matches(message, terms, me) === false);
    shown.remove(new Set(gone.map(({ id }) => id)));
    void addMoved(ids);
  }

  /** Adds messages that a move may have brought here, as far as they are within what is shown. */
  async function addMoved(candidates: readonly number[]): Promise<void> {
    const known = new Set(shown.loaded.value.ids);
    const ids = candidates.filter((id) => !known.has(id)).slice(-mostMoved);
    if (ids.length === 0) return;
    const messages = await shown.read(ids);
    const { ids: present } = shown.loaded.value;
    const from = shown.hasOldest.value ? 0 : (present[0] ?? 0);
    const to = shown.hasNewest.value ? Infinity : (present.at(-1) ?? 0);
    shown.insert(messages.filter(({ id }) => id >= from && id <= to));
  }

  return organization.listen((item: Item) => {
    if (shown.state.value !== "ready") return;
    switch (item.type) {
      case "registered":
        if (item.missed) void shown.refresh();
        break;
      case "message":
        void addNew({ ...item.message, flags: item.flags });
        break;
      case "delete_message":
        shown.remove(new Set(item.message_ids));
        break;
      case "update_message":
        if (item.subject !== undefined || item.new_stream_id !== undefined) move(item.message_ids);
        break;
      default:
    }
  });
}
