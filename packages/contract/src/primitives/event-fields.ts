import type * as z from "zod";

/** Fields by their names on the wire. */
export type EventShape = Readonly<Record<string, z.ZodType>>;

/** One set of fields, or one of several. */
export type EventFields = EventShape | readonly EventShape[];

/** The values that fields may have. */
export type ValuesOf<Fields> = Fields extends readonly (infer One)[]
  ? ValuesOfEach<One>
  : ValuesOfEach<Fields>;

type ValuesOfEach<Shape> = Shape extends EventShape
  ? DeepReadonly<z.input<z.ZodObject<{ -readonly [Name in keyof Shape]: Shape[Name] }>>>
  : never;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
    : T;

/** Returns the alternative sets of fields. */
export function variantsOf(fields: EventFields): readonly EventShape[] {
  return isList(fields) ? fields : [fields];
}

function isList(fields: EventFields): fields is readonly EventShape[] {
  return Array.isArray(fields);
}
