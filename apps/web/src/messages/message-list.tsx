import { useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Unsent } from "../store/outbox.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { VirtualList, type VirtualListHandle } from "../ui/virtual-list.ts";
import { MessageRow } from "./message-row.tsx";
import type { MessageWindow } from "./message-window.ts";
import { UnsentRow } from "./unsent-row.tsx";

export interface MessageListProps {
  readonly messages: MessageWindow;
  readonly isMixed: boolean;
  readonly unsent: readonly Unsent[];
}

/** Pixels from an end of the loaded messages at which more are loaded. */
const margin = 800;
/** Pixels from the bottom within which the list follows new messages. */
const bottom = 60;

/** The messages of a view. Only the rows near the viewport are in the document. */
export function MessageList({ messages, isMixed, unsent }: MessageListProps) {
  const list = useRef<VirtualListHandle>(null);
  /** Whether the list shows its end, and follows it. */
  const follows = useRef(true);
  const state = messages.state.value;
  const { ids, changed } = messages.loaded.value;
  const count = ids.length + unsent.length;

  useLayoutEffect(() => {
    if (state !== "ready") return;
    const at = messages.opensAt === undefined ? -1 : ids.indexOf(messages.opensAt);
    follows.current = at < 0;
    if (at >= 0) list.current?.scrollToIndex(at, { align: "start", offset: -80 });
    else list.current?.scrollToIndex(count - 1, { align: "end" });
  }, [state === "ready"]);

  useLayoutEffect(() => {
    if (follows.current) list.current?.scrollToIndex(count - 1, { align: "end" });
  }, [count, ids.at(-1)]);

  useSignalEffect(() => {
    if (messages.state.value === "ready") queueMicrotask(fill);
  });

  function fill(): void {
    const handle = list.current;
    if (!handle || messages.state.peek() !== "ready") return;
    const below = handle.scrollSize - handle.scrollOffset - handle.viewportSize;
    follows.current = below < bottom && messages.hasNewest.peek();
    if (handle.scrollOffset < margin) void messages.loadOlder();
    if (below < margin) void messages.loadNewer();
  }

  function rest(): void {
    const handle = list.current;
    if (handle) messages.trim(handle.scrollOffset < handle.scrollSize / 2 ? "end" : "start");
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
  if (state === "loading") return <p class="empty">{texts.messages.loading}</p>;
  if (count === 0) return <p class="empty">{texts.messages.empty}</p>;
  const drawRow = (row: number | Unsent, index: number) =>
    typeof row === "number" ? (
      <MessageRow
        key={row}
        id={row}
        previousId={ids[index - 1]}
        isMixed={isMixed}
        isFirstUnread={row === messages.opensAt}
      />
    ) : (
      <UnsentRow key={row.key} item={row} />
    );
  return (
    <VirtualList
      ref={list}
      class="message-list"
      data={[...ids, ...unsent]}
      shift={changed === "start"}
      bufferSize={600}
      onScroll={fill}
      onScrollEnd={rest}
      role="log"
      aria-label={texts.messages.list}
      tabIndex={0}
    >
      {drawRow}
    </VirtualList>
  );
}
