import { z } from "zod";
import { writtenAs } from "../json-schema.ts";
import { allEvents, kindOf } from "./all-events.ts";
import { deliveredFaults, schemasOf } from "./catalogue.ts";
import type { EventDeclaration } from "./event.ts";

/** Any event as a client gets it, exactly as it is declared; documents have all of them as alternatives. */
export const deliveredEvent = z
  .looseObject({ id: z.int(), type: z.string(), op: z.string().exactOptional() })
  .superRefine((event, context) => {
    for (const message of deliveredFaults(event)) context.addIssue({ code: "custom", message });
  });

writtenAs.set(deliveredEvent, () => {
  const served = allEvents.filter(({ internal, notServedYet }) => !internal && !notServedYet);
  return z.xor(served.flatMap(formsOf)).meta({ title: "event" });
});

/** Every form in which clients get the event. */
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
