import { useSignal } from "@preact/signals";
import type { JSX, RefObject } from "preact";
import { useId, useMemo, useRef } from "preact/hooks";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { CompletionList } from "./completion-list.tsx";
import { CompletionSources, type Suggestion } from "./completion-sources.ts";
import { type CompletionToken, tokenBefore } from "./completion-token.ts";

export interface Completion {
  /** The list, while there are suggestions. */
  readonly list: JSX.Element | null;
  /** Attributes that tell screen readers about the list. */
  readonly attributes: {
    readonly "aria-autocomplete": "list";
    readonly "aria-controls"?: string;
    readonly "aria-activedescendant"?: string;
  };
  /** Updates the suggestions for the text before the caret. */
  update(): void;
  /** Handles a key. @returns whether the list has used it */
  takeKey(event: KeyboardEvent): boolean;
  close(): void;
}

interface Open {
  readonly token: CompletionToken;
  readonly suggestions: readonly Suggestion[];
  readonly chosen: number;
}

/**
 * Completes mentions, channels, topics and emoji in a text box: arrows choose, Tab and Enter take, Escape closes.
 * @param onWrite takes the changed text
 */
export function useCompletion(
  box: RefObject<HTMLTextAreaElement | null>,
  onWrite: (text: string) => void,
): Completion {
  const organization = useOrganization();
  const sources = useMemo(() => new CompletionSources(organization), [organization]);
  const open = useSignal<Open | undefined>(undefined);
  /** Where a token begins whose list was closed by Escape. */
  const closedAt = useRef<number | undefined>(undefined);
  const asked = useRef(0);
  const id = useId();

  async function update(): Promise<void> {
    const number = ++asked.current;
    const element = box.current;
    const hasSelection = element?.selectionStart !== element?.selectionEnd;
    const token =
      element && !hasSelection ? tokenBefore(element.value, element.selectionStart) : undefined;
    if (token?.start !== closedAt.current) closedAt.current = undefined;
    if (!token || closedAt.current !== undefined) {
      open.value = undefined;
      return;
    }
    const suggestions = await sources.suggest(token);
    if (number !== asked.current) return;
    open.value = suggestions.length > 0 ? { token, suggestions, chosen: 0 } : undefined;
  }

  function take(suggestion: Suggestion): void {
    const element = box.current;
    if (!element || !open.value) return;
    const { start } = open.value.token;
    const { value, selectionStart: caret } = element;
    const rest = value.slice(caret).replace(/^ /, "");
    onWrite(value.slice(0, start) + suggestion.text + rest);
    close();
    element.focus();
    // After the text is in the box.
    requestAnimationFrame(() => {
      const at = start + suggestion.text.length;
      element.setSelectionRange(at, at);
    });
  }

  function close(): void {
    asked.current++;
    open.value = undefined;
  }

  function takeKey(event: KeyboardEvent): boolean {
    const now = open.value;
    if (!now || event.isComposing) return false;
    const { length } = now.suggestions;
    switch (event.key) {
      case "ArrowDown":
        open.value = { ...now, chosen: (now.chosen + 1) % length };
        break;
      case "ArrowUp":
        open.value = { ...now, chosen: (now.chosen + length - 1) % length };
        break;
      case "Enter":
      case "Tab": {
        const suggestion = now.suggestions[now.chosen];
        if (event.shiftKey || !suggestion) return false;
        take(suggestion);
        break;
      }
      case "Escape":
        closedAt.current = now.token.start;
        close();
        break;
      default:
        return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  const { value } = open;
  return {
    update: () => void update(),
    takeKey,
    close,
    attributes: {
      "aria-autocomplete": "list",
      ...(value && {
        "aria-controls": id,
        "aria-activedescendant": `${id}-${value.chosen}`,
      }),
    },
    list: value ? (
      <CompletionList
        id={id}
        label={texts.completion[value.token.kind]}
        suggestions={value.suggestions}
        chosen={value.chosen}
        onTake={take}
      />
    ) : null,
  };
}
