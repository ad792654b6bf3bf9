import { useSignal } from "@preact/signals";
import { Button } from "../ui/button.tsx";

export interface AddFormProps {
  readonly label: string;
  readonly button: string;
  readonly onAdd: (text: string) => void;
}

/** A line that adds something to a widget. */
export function AddForm({ label, button, onAdd }: AddFormProps) {
  const text = useSignal("");
  return (
    <form
      class="widget-add"
      onSubmit={(event) => {
        event.preventDefault();
        const trimmed = text.value.trim();
        if (trimmed === "") return;
        text.value = "";
        onAdd(trimmed);
      }}
    >
      <input
        aria-label={label}
        placeholder={label}
        maxLength={500}
        dir="auto"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <Button type="submit" disabled={text.value.trim() === ""}>
        {button}
      </Button>
    </form>
  );
}
