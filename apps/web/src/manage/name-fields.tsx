import { textOf } from "../forms.ts";
import { texts } from "../texts.ts";
import { Field } from "../ui/field.tsx";

const t = texts.organization;

/** Fields for a name and a description. */
export function NameFields(props: { readonly name?: string; readonly description?: string }) {
  return (
    <>
      <Field label={t.name} name="name" value={props.name} required maxLength={100} />
      <Field label={t.description} name="description" value={props.description} />
    </>
  );
}

/** Returns what the fields contain. */
export function namesOf(form: HTMLFormElement) {
  return { name: textOf(form, "name"), description: textOf(form, "description") };
}
