import { useSignal } from "@preact/signals";
import type { EmojiChoice } from "../store/emoji.ts";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { EmojiSign } from "./emoji-sign.tsx";

export interface EmojiPickerProps {
  readonly onChoose: (emoji: EmojiChoice) => void;
  readonly onClose: () => void;
}

/** A dialog to choose an emoji by its name. Enter takes the first one. */
export function EmojiPicker({ onChoose, onClose }: EmojiPickerProps) {
  const { emoji: names } = useOrganization();
  const text = useSignal("");
  const found = names.find(text.value);
  return (
    <Dialog title={texts.messages.react} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (found[0]) onChoose(found[0]);
        }}
      >
        <Field
          label={texts.messages.emojiName}
          name="emoji"
          isFirst
          value={text.value}
          onInput={(value) => {
            text.value = value;
          }}
        />
        <div class="emoji-choices">
          {found.map((emoji) => (
            <button
              key={`${emoji.reaction_type} ${emoji.emoji_name}`}
              type="button"
              class="emoji-choice"
              aria-label={emoji.emoji_name.replaceAll("_", " ")}
              title={`:${emoji.emoji_name}:`}
              onClick={() => onChoose(emoji)}
            >
              <EmojiSign emoji={emoji} />
            </button>
          ))}
          {found.length === 0 && <p class="hint">{texts.messages.noEmoji}</p>}
        </div>
      </form>
    </Dialog>
  );
}
