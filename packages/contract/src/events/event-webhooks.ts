import { sampleOf } from "../examples/sample.ts";
import { schemaOf } from "../primitives/json-schema.ts";
import { allEvents, kindOf } from "./all-events.ts";
import { receiversOfForm } from "./event-reference.ts";
import { formsOf } from "./forms.ts";
import type { EventDeclaration } from "../primitives/event.ts";

/** Describes events by `type` and `op` as webhooks of OpenAPI 3.1: each with its forms and an example. */
export function eventWebhooks(): Record<string, object> {
  const served = allEvents
    .filter(({ internal, notServedYet }) => !internal && !notServedYet)
    .toSorted((a, b) => (kindOf(a) < kindOf(b) ? -1 : 1));
  return Object.fromEntries(
    served.map((declared) => [kindOf(declared), { post: webhook(declared) }]),
  );
}

function webhook(declared: EventDeclaration): object {
  const { about, to, receivers = "everybody", older } = declared;
  const schemas = formsOf(declared).map((form) => schemaOf(form, "output"));
  const forms = Object.entries(older).map(
    ([reason, form]) => `${receiversOfForm(reason)}: ${form.about}`,
  );
  const [first = {}] = schemas;
  return {
    operationId: `event-${kindOf(declared).replaceAll(/\W+/g, "-")}`,
    tags: ["event types"],
    summary: about,
    description: [`To: ${to === "everybody" ? "every active account" : receivers}.`, ...forms].join(
      "\n\n",
    ),
    requestBody: {
      content: {
        "application/json": {
          schema: schemas.length > 1 ? { oneOf: schemas } : first,
          example: sampleOf(first),
        },
      },
    },
    responses: { "200": { description: "Clients poll for events and send no response." } },
  };
}
