import { texts } from "../texts.ts";
import { Field } from "./field.tsx";

export interface FilterFieldProps {
  readonly value: string;
  readonly onInput: (words: string) => void;
}

/** The field for the words by which a table is filtered. */
export function FilterField({ value, onInput }: FilterFieldProps) {
  return <Field label={texts.organization.filter} name="filter" value={value} onInput={onInput} />;
}
