import { useId } from "preact/hooks";

export type FieldType =
  | "text"
  | "email"
  | "password"
  | "number"
  | "url"
  | "date"
  | "time"
  | "datetime-local";

export interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: FieldType;
  readonly value?: string | undefined;
  readonly required?: boolean;
  readonly autoComplete?: string;
  readonly placeholder?: string;
  readonly maxLength?: number | undefined;
  /** What the field is for, below it. */
  readonly hint?: string | undefined;
  /** Whether the field gets the focus when its dialog opens. */
  readonly isFirst?: boolean;
  readonly onInput?: ((value: string) => void) | undefined;
}

/** A text field with its label. */
export function Field(props: FieldProps) {
  const { label, hint, type = "text", onInput } = props;
  const id = useId();
  // The types of Preact have an alternative for each type of field, and none for several.
  const attributes = { type } as { readonly type: "text" };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={props.name}
        {...attributes}
        value={props.value}
        required={props.required ?? false}
        autoComplete={props.autoComplete}
        placeholder={props.placeholder}
        maxLength={props.maxLength}
        autofocus={props.isFirst}
        dir="auto"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={(event) => onInput?.(event.currentTarget.value)}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
