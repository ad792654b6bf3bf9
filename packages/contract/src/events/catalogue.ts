import * as z from "zod";
import { type ProgramNeed, programNeeds } from "../primitives/program-needs.ts";
import { eventOf, kindOf } from "./all-events.ts";
import type { ClientCapability } from "../primitives/capabilities.ts";
import type { EventDeclaration } from "../primitives/event.ts";
import { type EventFields, variantsOf } from "../primitives/event-fields.ts";

/** An event as a client gets it, perhaps without its `id`. */
export interface DeliveredEvent {
  readonly type: string;
  readonly op?: string;
  readonly [field: string]: unknown;
}

/**
 * Compares an event that a client got with the fields that its declaration has for such a client. For tests: checking
 * every field costs more than making the event.
 * @param capabilities of the client; if undefined, any form is accepted
 * @param needs of its program
 * @returns one line for each difference
 */
export function deliveredFaults(
  { type, op, ...rest }: DeliveredEvent,
  capabilities?: readonly ClientCapability[],
  needs: readonly ProgramNeed[] = [],
): string[] {
  const declared = eventOf(type, op);
  const kind = kindOf({ type, op });
  if (!declared || declared.internal) return [`${kind} is not declared as an event for clients`];
  const fields = Object.fromEntries(Object.entries(rest).filter(([name]) => name !== "id"));
  return faultsIn(kind, fields, allowedFields(declared, capabilities, needs));
}

/** A row of the log. */
export interface LoggedRow {
  readonly type: string;
  readonly op: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly userData: Readonly<Record<string, unknown>> | null;
}

/** Compares a row of the log with the fields that its declaration says the log keeps. */
export function loggedFaults({ type, op, payload, userData }: LoggedRow): string[] {
  const declared = eventOf(type, op);
  if (!declared) return [`${kindOf({ type, op: op ?? undefined })} is not declared`];
  const kind = kindOf(declared);
  const own = Object.entries(userData ?? {}).flatMap(([userId, fields]) =>
    declared.own
      ? faultsIn(`${kind} for ${userId}`, fields, [z.strictObject(declared.own).partial()])
      : [`${kind} has nothing that differs between receivers`],
  );
  return [...faultsIn(kind, payload, schemasOf(declared.log ?? declared.fields)), ...own];
}

/** Returns the fields that a client may get: an older form with fields of its own replaces the usual form. */
function allowedFields(
  { fields, older }: EventDeclaration,
  capabilities: readonly ClientCapability[] | undefined,
  needs: readonly ProgramNeed[],
): readonly z.ZodObject[] {
  const forms = Object.entries(older).flatMap(([reason, form]) =>
    form.fields ? [{ reason, schemas: schemasOf(form.fields) }] : [],
  );
  if (!capabilities) return [...schemasOf(fields), ...forms.flatMap(({ schemas }) => schemas)];
  const without = programNeeds.filter((need) => !needs.includes(need));
  const newer = new Set<string>([...capabilities, ...without]);
  const own = forms.filter(({ reason }) => !newer.has(reason));
  return own.length > 0 ? own.flatMap(({ schemas }) => schemas) : schemasOf(fields);
}

const known = new WeakMap<EventFields, readonly z.ZodObject[]>();

/** Makes strict schemas of the fields. */
export function schemasOf(fields: EventFields): readonly z.ZodObject[] {
  let schemas = known.get(fields);
  if (!schemas)
    known.set(fields, (schemas = variantsOf(fields).map((each) => z.strictObject(each))));
  return schemas;
}

/** Reports the faults of the schema that fits best. */
function faultsIn(kind: string, value: unknown, schemas: readonly z.ZodType[]): string[] {
  let least: z.core.$ZodIssue[] | undefined;
  for (const schema of schemas) {
    const { error } = schema.safeParse(value);
    if (!error) return [];
    if (!least || error.issues.length < least.length) least = error.issues;
  }
  return (least ?? []).map(({ path, message }) => `${[kind, ...path].join(".")}: ${message}`);
}
