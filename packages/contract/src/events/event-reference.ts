import * as z from "zod";
import { schemaOf } from "../primitives/json-schema.ts";
import { olderPrograms } from "../primitives/program-needs.ts";
import type { JsonSchema } from "../primitives/parameter.ts";
import { typeText } from "../primitives/type-text.ts";
import { allEvents, kindOf } from "./all-events.ts";
import type { EventDeclaration, SnapshotChange } from "../primitives/event.ts";
import { type EventFields, type EventShape, variantsOf } from "../primitives/event-fields.ts";

/** Writes the page `docs/api/event-types.md`: every event that clients get. */
export function eventReference(): string {
  const documented = allEvents
    .filter(({ internal }) => !internal)
    .toSorted((a, b) => (kindOf(a) < kindOf(b) ? -1 : 1));
  const blocks = [
    "# Event types",
    "Generated from `packages/contract` by `npm run generate`; do not edit.",
    "What `GET /events` answers: `id`, `type`, `op` where the heading has one after the slash, and exactly the fields " +
      "of the table. Clients that declared a capability at registration get the newer form " +
      "([events.md §1.1](../protocol/events.md)).",
    ...documented.flatMap(section),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function section(declared: EventDeclaration): string[] {
  const { about, to, receivers = "everybody", fields, older, notServedYet, optIn } = declared;
  const { snapshot } = declared;
  const forms = Object.entries(older).flatMap(([reason, form]) => [
    `${receiversOfForm(reason)}: ${form.about}${becomes(form.becomes)}`,
    ...(form.fields ? tables(form.fields) : []),
  ]);
  return [
    `## \`${kindOf(declared)}\``,
    ...(notServedYet ? ["**Not served yet.**"] : []),
    about,
    `To: ${to === "everybody" ? "every active account" : receivers}.`,
    ...(optIn ? ["Opt-in: only queues whose `event_types` name it get it."] : []),
    ...(snapshot ? [`In the snapshot: ${changeText(snapshot)}.`] : []),
    ...tables(fields),
    ...forms,
  ];
}

/** Describes what a client changes in its snapshot. */
function changeText(change: SnapshotChange): string {
  if ("field" in change) return `\`${change.field}\` becomes \`${change.becomes}\``;
  const { list, by } = change;
  if ("adds" in change) return `\`${change.adds}\` is added to \`${list}\``;
  if ("replaces" in change)
    return `\`${change.replaces}\` replaces the item of \`${list}\` with the same \`${by}\``;
  if ("merges" in change)
    return `the item of \`${list}\` whose \`${by}\` is \`${change.into}\` gets the fields of \`${change.merges}\``;
  return `the item of \`${list}\` whose \`${by}\` is \`${change.removes}\` is removed`;
}

/** Names the receivers of an older form: clients without a capability, or the programs with a need. */
export function receiversOfForm(reason: string): string {
  const programs = [...olderPrograms].filter(([, needs]) => needs.some((need) => need === reason));
  if (programs.length === 0) return `Without \`${reason}\``;
  return `For ${programs.map(([name]) => `\`${name}\``).join(", ")}`;
}

function becomes(events: readonly EventDeclaration[] = []): string {
  if (events.length === 0) return "";
  return ` (${events.map((event) => `\`${kindOf(event)}\``).join(", ")})`;
}

function tables(fields: EventFields): string[] {
  return variantsOf(fields).flatMap((shape, i) => [...(i > 0 ? ["or"] : []), table(shape)]);
}

function table(shape: EventShape): string {
  const { properties = {}, required = [] } = schemaOf(z.object(shape), "output");
  const rows = Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => {
    const always = (required as readonly string[]).includes(name);
    return `| \`${name}\` | ${typeText(schema)} | ${always ? "" : "not always"} |`;
  });
  if (rows.length === 0) return "No fields.";
  return ["| field | type | |", "| --- | --- | --- |", ...rows].join("\n");
}
