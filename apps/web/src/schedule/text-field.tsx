import { useId } from "preact/hooks";
import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";

export interface TextFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The text of a scheduled message, as Markdown. */
export function TextField({ value, onChange }: TextFieldProps) {
  const id = useId();
  const { settings } = useOrganization();
  return (
    <div class="field">
      <label for={id}>{texts.common.message}</label>
      <textarea
        id={id}
        required
        rows={4}
        dir="auto"
        maxLength={Number(settings.organization.get("max_message_length") ?? 10_000)}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
