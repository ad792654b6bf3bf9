import { effect, untracked } from "@preact/signals";
import { operandOf, type Term } from "../route.ts";
import type { Item } from "../store/events.ts";
import type { Organization } from "../store/organization.ts";
import { matches } from "./matches.ts";
import type { MessageWindow } from "./message-window.ts";
import { NewMessages } from "./new-messages.ts";

/** Maximum moved messages that are read again. */
const mostMoved = 1_000;

/**
 * Applies events to the loaded messages of a view: adds new and moved ones that match it, and removes deleted and moved
 * ones. Reads the view again when the account joins, leaves or loses its channel.
 * @returns a function that ends this
 */
export function followEvents(
  organization: Organization,
  terms: readonly Term[],
  shown: MessageWindow,
): () => void {
  const { me, messages: store } = organization;
  const channelId = operandOf(terms, "channel");
  const newMessages = new NewMessages(organization, terms, shown);
  /** Items that arrive while messages are read. */
  let meanwhile: Item[] = [];

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
    if (shown.isClosed) return;
    const { ids: present } = shown.loaded.value;
    const from = shown.hasOldest.value ? 0 : (present[0] ?? 0);
    const to = shown.hasNewest.value ? Infinity : (present.at(-1) ?? 0);
    shown.insert(messages.filter(({ id }) => id >= from && id <= to));
  }

  function take(item: Item): void {
    const { value: state } = shown.state;
    if (state === "loading") return;
    // Also after a failure: the account may be in the channel now.
    if (typeof channelId === "number" && changesAccess(item, channelId)) {
      void shown.load();
      return;
    }
    if (state !== "ready") return;
    switch (item.type) {
      case "registered":
        if (item.missed) void shown.refresh();
        break;
      case "message":
        newMessages.add({ ...item.message, flags: item.flags });
        break;
      case "delete_message":
        shown.remove(new Set(item.message_ids));
        break;
      case "update_message":
        if (item.subject !== undefined || item.new_stream_id !== undefined) move(item.message_ids);
        break;
      default:
    }
  }

  /** Applies what has arrived while messages were read: the answer may lack it. */
  function catchUp(): void {
    const items = meanwhile;
    meanwhile = [];
    for (const item of items) {
      if (item.type !== "registered") store.apply(item);
      take(item);
    }
  }

  const endEvents = organization.listen((item) => {
    if (shown.isReading) meanwhile.push(item);
    take(item);
  });
  const endCatchingUp = effect(() => {
    if (!shown.isReading) untracked(catchUp);
  });
  return () => {
    endEvents();
    endCatchingUp();
  };
}

/** Whether the account may read other messages of the channel after the item than before. */
function changesAccess(item: Item, channelId: number): boolean {
  if (item.type === "stream") return item.op === "delete" && item.stream_ids.includes(channelId);
  if (item.type !== "subscription" || (item.op !== "add" && item.op !== "remove")) return false;
  return item.subscriptions.some(({ stream_id }) => stream_id === channelId);
}
