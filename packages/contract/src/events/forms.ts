import * as z from "zod";
import { kindOf } from "./all-events.ts";
import { schemasOf } from "./catalogue.ts";
import type { EventDeclaration } from "../primitives/event.ts";

/** Returns the schema of every form in which clients get the event. */
export function formsOf(declared: EventDeclaration): z.ZodType[] {
  const { type, op, about: description, fields, older } = declared;
  const forms = [fields, ...Object.values(older).flatMap((form) => form.fields ?? [])];
  const kind = { id: z.int(), type: z.literal(type) };
  const head = op === undefined ? kind : { ...kind, op: z.literal(op) };
  return forms
    .flatMap(schemasOf)
    .map(({ shape }) =>
      z.strictObject({ ...head, ...shape }).meta({ title: kindOf(declared), description }),
    );
}
