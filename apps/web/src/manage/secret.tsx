import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { copyText } from "../clipboard.ts";
import { texts } from "../texts.ts";
import { Button } from "../ui/button.tsx";

/** A key or link that a person copies. Without access to the clipboard the text is selected instead. */
export function Secret({ label, value }: { readonly label: string; readonly value: string }) {
  const id = useId();
  const isCopied = useSignal(false);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="secret">
        <input id={id} value={value} readOnly onFocus={(event) => event.currentTarget.select()} />
        <Button
          onClick={() => {
            const field = document.getElementById(id) as HTMLInputElement;
            field.select();
            void copyText(value).then((isDone) => {
              isCopied.value = isDone;
            });
          }}
        >
          {isCopied.value ? texts.common.copied : texts.common.copy}
        </Button>
      </div>
    </div>
  );
}
