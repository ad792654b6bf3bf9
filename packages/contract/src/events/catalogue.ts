import { z } from "zod";
import { type ProgramNeed, programNeeds } from "../program-needs.ts";
import { eventOf, kindOf } from "./all-events.ts";
import type { ClientCapability } from "./capabilities.ts";
import type { EventDeclaration } from "./event.ts";
import { type EventFields, variantsOf } from "./fields.ts";

/** An event as a client gets it, perhaps without its `id`. */
export interface DeliveredEvent {
  readonly type: string;
  readonly op?: string;
  readonly [field: string]: unknown;
}

/**
 * What is wrong with an event that a client got: anything but the fields that its declaration has for such a client.
 * For tests: reading every field costs more than making the event.
 * @param capabilities of the client; any form will do unless given
 * @param needs of its program
 * @returns a line each; none where nothing is wrong
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

/** What is wrong with a row of the log: anything but what its declaration says that the log keeps. */
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

/**
 * Forms with other fields that a client gets for a capability that it lacks, or for a need, stand in the place of the
 * usual one.
 */
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

/** The fields as schemas that take no others. */
export function schemasOf(fields: EventFields): readonly z.ZodObject[] {
  let schemas = known.get(fields);
  if (!schemas)
    known.set(fields, (schemas = variantsOf(fields).map((each) => z.strictObject(each))));
  return schemas;
}

/** Of several schemas the one that has the least to say tells what is wrong. */
function faultsIn(kind: string, value: unknown, schemas: readonly z.ZodType[]): string[] {
  let least: z.core.$ZodIssue[] | undefined;
  for (const schema of schemas) {
    const { error } = schema.safeParse(value);
    if (!error) return [];
    if (!least || error.issues.length < least.length) least = error.issues;
  }
  return (least ?? []).map(({ path, message }) => `${[kind, ...path].join(".")}: ${message}`);
}
