import { texts } from "../texts.ts";
import type { Suggestion } from "./completion-sources.ts";

export interface CompletionListProps {
  readonly id: string;
  readonly label: string;
  readonly suggestions: readonly Suggestion[];
  readonly chosen: number;
  readonly onTake: (suggestion: Suggestion) => void;
}

/** Suggestions above a text box, which keeps the focus. */
export function CompletionList(props: CompletionListProps) {
  const { id, label, suggestions, chosen, onTake } = props;
  return (
    <>
      <div class="completion" role="listbox" id={id} aria-label={label}>
        {suggestions.map((suggestion, at) => (
          <div
            key={suggestion.key}
            id={`${id}-${at}`}
            class="completion-item"
            role="option"
            aria-selected={at === chosen}
            onPointerDown={(event) => {
              event.preventDefault();
              onTake(suggestion);
            }}
          >
            {suggestion.sign && <span aria-hidden="true">{suggestion.sign}</span>}
            {suggestion.picture && <img src={suggestion.picture} alt="" />}
            <bdi class="completion-label">{suggestion.label}</bdi>
            {suggestion.detail && <bdi class="completion-detail">{suggestion.detail}</bdi>}
          </div>
        ))}
      </div>
      <div class="for-readers" role="status">
        {texts.completion.count(suggestions.length)}
      </div>
    </>
  );
}
