import { type EventDeclaration, eventDeclarations } from "@carillon/contract";

import type { Format } from "./outgoing-event.ts";
import { formats } from "./formats.ts";

const byDeclaration = new Map<EventDeclaration | undefined, Format<EventDeclaration>>(
  Object.entries(formats).map(([name, format]) => [
    eventDeclarations[name as keyof typeof formats],
    // Each is called with rows of its own declaration only.
    format as Format<EventDeclaration>,
  ]),
);

/** What needs no format, and what another version of Carillon has written, goes out as it lies in the log. */
const asLogged: Format<EventDeclaration> = (outgoing) => [outgoing.tell(outgoing.fields)];

/** The format of rows of the declaration. */
export function formatOf(declared: EventDeclaration | undefined): Format<EventDeclaration> {
  return byDeclaration.get(declared) ?? asLogged;
}
