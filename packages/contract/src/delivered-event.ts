import * as z from "zod";
import { allEvents } from "./events/all-events.ts";
import { deliveredFaults } from "./events/catalogue.ts";
import { formsOf } from "./events/forms.ts";
import { writtenAs } from "./primitives/json-schema.ts";

/**
 * Any event as a client gets it, checked strictly against its declaration. API documents list all events as
 * alternatives. Not in `events/`, which depends on `operations/`: an operation uses this schema.
 */
export const deliveredEvent = z
  .looseObject({ id: z.int(), type: z.string(), op: z.string().exactOptional() })
  .superRefine((event, context) => {
    for (const message of deliveredFaults(event)) context.addIssue({ code: "custom", message });
  });

writtenAs.set(deliveredEvent, () => {
  const served = allEvents.filter(({ internal, notServedYet }) => !internal && !notServedYet);
  return z.xor(served.flatMap(formsOf)).meta({ title: "event" });
});
