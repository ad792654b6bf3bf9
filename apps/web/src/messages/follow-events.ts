import { effect, untracked } from "@preact/signals";
import { operandOf, type Term } from "../route.ts";
import type { Item } from "../store/events.ts";
import type { Organization } from "../store/organization.ts";
import { matches } from "./matches.ts";
import type { MessageWindow } from "./message-window.ts";
import { NewMessages } from "./new-messages.ts";

/** Maximum messages of one move that are read. */
const mostMoved = 1_000;

/**
 * Applies events to the loaded messages of a view: adds messages that are sent or moved there, and removes messages that are
 * deleted or moved away. Loads the view again when the account joins, leaves or loses its channel.
 * @returns a function that stops listening
 */
export function followEvents(
  organization: Organization,
  terms: readonly Term[],
  shown: MessageWindow,
): () => void {
  const { me, messages: store } = organization;
  const channelId = operandOf(terms, "channel");
  const newMessages = new NewMessages(organization, terms, shown);
  /** Items that arrived while messages were being read. */
  let meanwhile: Item[] = [];

  /** Loads the view after a request that would have kept it current has failed; `load` shows its own failures. */
  const loadAgain = () => void shown.load();

  function move(ids: readonly number[]): void {
    const known = ids.flatMap((id) => store.get(id)?.peek() ?? []);
    const gone = known.filter((message) => matches(message, terms, me) === false);
    shown.remove(new Set(gone.map(({ id }) => id)));
    addMoved(ids).catch(loadAgain);
  }

  /** Adds messages that a move may have brought into the view, if their ids are within the loaded range. */
  async function addMoved(candidates: readonly number[]): Promise<void> {
    const known = new Set(shown.loaded.value.ids);
    const ids = candidates.filter((id) => !known.has(id)).slice(-mostMoved);
    if (ids.length === 0) return;
    await shown.addFound(ids);
  }

  function take(item: Item): void {
    const { value: state } = shown.state;
    if (state === "loading") return;
    // A failed view is loaded again, too: the account may have access to the channel now.
    const isFailed = typeof state === "object";
    if (
      (isFailed && item.type === "registered") ||
      (typeof channelId === "number" && changesAccess(item, channelId))
    ) {
      void shown.load();
      return;
    }
    if (state !== "ready") return;
    switch (item.type) {
      case "registered":
        if (item.missed) shown.refresh().catch(loadAgain);
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

  /** Applies the items that arrived while messages were being read. The answer may be older than the items. */
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

/** Returns whether the item changes which messages of the channel the account may read. */
function changesAccess(item: Item, channelId: number): boolean {
  if (item.type === "stream" && item.op === "create")
    return item.streams.some(({ stream_id }) => stream_id === channelId);
  if (item.type === "stream") return item.op === "delete" && item.stream_ids.includes(channelId);
  if (item.type !== "subscription" || (item.op !== "add" && item.op !== "remove")) return false;
  return item.subscriptions.some(({ stream_id }) => stream_id === channelId);
}
