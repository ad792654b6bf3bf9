import { useId } from "preact/hooks";

export interface Option {
  readonly value: string;
  readonly label: string;
}

export interface SelectProps {
  readonly label: string;
  readonly name: string;
  readonly options: readonly Option[];
  readonly value?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly hint?: string | undefined;
  readonly onChange?: ((value: string) => void) | undefined;
}

/** A choice of one value, with its label. */
export function Select(props: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        name={props.name}
        value={props.value}
        disabled={props.disabled ?? false}
        aria-describedby={props.hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => props.onChange?.(event.currentTarget.value)}
      >
        {props.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      {props.hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
    </div>
  );
}
