import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Unsent } from "../store/outbox.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { VirtualList, type VirtualListHandle } from "../ui/virtual-list.ts";
import { PlaceInList } from "./place-in-list.ts";
import { RowElements } from "./row-elements.tsx";
import { UnsentRow } from "./unsent-row.tsx";
import { useView } from "./view.ts";

/** Pixels from an end of the loaded messages at which more are loaded. */
const margin = 1_600;
/** Pixels above and below the viewport in which rows are drawn. It is small, because a jump draws all these rows again. */
const buffer = 250;
/** Pixels from the bottom within which the list follows new messages. */
const bottom = 60;

/** The messages of a view, and what waits to be sent below them. Only rows near the viewport are in the document. */
export function MessageList({ unsent }: { readonly unsent: readonly Unsent[] }) {
  const { reader, unread } = useOrganization();
  const { messages } = useView();
  const list = useRef<VirtualListHandle>(null);
  const rows = useMemo(() => new RowElements(), []);
  const place = useMemo(() => new PlaceInList(), []);
  /** Whether the list shows its end, and follows it. */
  const follows = useRef(true);
  /** Whether the browser has drawn rows. Until then the list only estimates their heights. */
  const isDrawn = useRef(false);
  const redraws = useSignal(0);
  void redraws.value;
  const state = messages.state.value;
  const loaded = messages.loaded.value.ids;
  // The next list that is shown has no place to keep.
  if (state !== "ready") place.first = undefined;
  const { ids, shift } = place.draw(loaded);
  const count = ids.length + unsent.length;
  const isShown = state === "ready" && count > 0;

  useLayoutEffect(() => {
    if (!isShown) return;
    const at = messages.opensAt === undefined ? -1 : ids.indexOf(messages.opensAt);
    follows.current = at < 0;
    if (at >= 0) list.current?.scrollToIndex(at, { align: "start", offset: -90 });
    else list.current?.scrollToIndex(count - 1, { align: "end" });
  }, [isShown]);

  useLayoutEffect(() => {
    if (follows.current) list.current?.scrollToIndex(count - 1, { align: "end" });
  }, [count, ids.at(-1)]);

  useLayoutEffect(() => {
    if (ids !== loaded) redraws.value++;
  }, [ids, loaded]);

  // Marks as read what the list shows at first, and what arrives while its end is visible.
  useEffect(() => {
    if (!isShown) isDrawn.current = false;
    // The list measures its rows while the first of these frames is laid out.
    else requestAnimationFrame(() => requestAnimationFrame(settleDrawn));
  }, [isShown, count]);
  useEffect(() => {
    addEventListener("focus", settle);
    return () => removeEventListener("focus", settle);
  }, []);

  useSignalEffect(() => {
    const id = messages.selected.value;
    if (id === undefined) return;
    const at = messages.loaded.peek().ids.indexOf(id);
    if (at >= 0) list.current?.scrollToIndex(at, { align: "nearest" });
  });

  function settleDrawn(): void {
    isDrawn.current = true;
    settle();
  }

  /** Loads more messages near an end of the loaded ones, and marks visible messages as read. */
  function settle(): void {
    const handle = list.current;
    if (!handle || !isDrawn.current || messages.state.peek() !== "ready") return;
    const below = handle.scrollSize - handle.scrollOffset - handle.viewportSize;
    follows.current = below < bottom && messages.hasNewest.peek();
    if (handle.scrollOffset < margin) void messages.loadOlder();
    if (below < margin) void messages.loadNewer();
    // Drop messages below the viewport during scrolling, too: no visible row moves, and a long scroll would keep all of them.
    const first = handle.findItemIndex(handle.scrollOffset);
    if (below > handle.scrollOffset) messages.trim("end", first, 500);
    place.first = messages.loaded.peek().ids[first];
    if (!document.hasFocus()) return;
    const last = handle.findItemIndex(handle.scrollOffset + handle.viewportSize - 8);
    const seen = messages.loaded.peek().ids.slice(first, last + 1);
    reader.markRead(seen.filter((id) => unread.has(id) && !messages.keptUnread.has(id)));
  }

  function rest(): void {
    const handle = list.current;
    if (!handle) return;
    const end = handle.scrollOffset < handle.scrollSize / 2 ? "end" : "start";
    messages.trim(end, handle.findItemIndex(handle.scrollOffset));
  }

  if (typeof state === "object")
    return (
      <div class="messages-failed">
        <Alert>
          {texts.messages.failed} {state.failed}
        </Alert>
        <Button onClick={() => void messages.load()}>{texts.app.retry}</Button>
      </div>
    );
  if (state === "loading")
    return (
      <p class="empty" role="status">
        {texts.messages.loading}
      </p>
    );
  const toNewest = (
    <Button class="to-newest" onClick={() => void messages.load("newest")}>
      {texts.messages.newest}
    </Button>
  );
  if (count === 0)
    return (
      <div class="message-area">
        {messages.isWhole ? <p class="empty">{texts.messages.empty}</p> : toNewest}
      </div>
    );
  const drawRow = (row: number | Unsent, index: number) =>
    typeof row === "number" ? rows.of(row, ids[index - 1]) : <UnsentRow key={row.key} item={row} />;
  return (
    <div class="message-area">
      <VirtualList
        ref={list}
        class="message-list"
        data={[...ids, ...unsent]}
        shift={shift}
        bufferSize={buffer}
        onScroll={settle}
        onScrollEnd={rest}
        role="log"
        aria-label={texts.messages.list}
        tabIndex={0}
      >
        {drawRow}
      </VirtualList>
      {!messages.hasNewest.value && toNewest}
    </div>
  );
}
