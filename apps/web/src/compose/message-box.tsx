import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { texts } from "../texts.ts";
import { useCompletion } from "./completion.tsx";
import type { ComposeState } from "./compose-state.ts";

export interface MessageBoxProps {
  readonly state: ComposeState;
  /** Whether the preview replaces the box. A hidden box keeps its caret. */
  readonly isHidden: boolean;
  readonly onSend: () => void;
  readonly onTyped: () => void;
  readonly onFiles: (files: readonly File[]) => void;
}

/** The text of a message. Enter sends it; files may be dropped on it or pasted. */
export function MessageBox({ state, isHidden, onSend, onTyped, onFiles }: MessageBoxProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  const content = state.content.value;
  const requests = state.focusRequests.value;
  const completion = useCompletion(box, (text) => state.write(text));

  useLayoutEffect(() => {
    if (box.current && !isHidden) grow(box.current);
  }, [content, isHidden]);
  useLayoutEffect(() => {
    state.box = box.current;
    return () => {
      state.box = null;
    };
  }, [state]);
  useEffect(() => {
    if (requests > 0) box.current?.focus();
  }, [requests]);

  return (
    <div class="message-box" hidden={isHidden}>
      {completion.list}
      <textarea
        ref={box}
        class="compose-message"
        aria-label={texts.common.message}
        {...completion.attributes}
        placeholder={texts.common.message}
        rows={1}
        dir="auto"
        value={content}
        onInput={(event) => {
          state.write(event.currentTarget.value);
          completion.update();
          onTyped();
        }}
        onClick={() => completion.update()}
        onBlur={() => completion.close()}
        onKeyDown={(event) => {
          if (completion.takeKey(event)) return;
          if (event.key === "Escape") event.currentTarget.blur();
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          onSend();
        }}
        onPaste={(event) => takeFiles(event, event.clipboardData, onFiles)}
        onDrop={(event) => takeFiles(event, event.dataTransfer, onFiles)}
        onDragOver={(event) => {
          if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
        }}
      />
    </div>
  );
}

function takeFiles(
  event: Event,
  data: DataTransfer | null,
  onFiles: (files: readonly File[]) => void,
): void {
  const files = [...(data?.files ?? [])];
  if (files.length === 0) return;
  event.preventDefault();
  onFiles(files);
}

/** Makes the box as high as its text; the style sheet says how high at most. */
function grow(box: HTMLTextAreaElement): void {
  box.style.blockSize = "auto";
  // Measuring would force a layout of the page, also at its first frame. An empty box needs none.
  if (box.value !== "") box.style.blockSize = `${box.scrollHeight + 2}px`;
}
