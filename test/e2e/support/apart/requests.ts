import { allOperations, type Operation } from "@carillon/contract";
import type { Params } from "@carillon/testkit";
import { namings, plain, type Naming } from "./parameters.ts";
import type { Things } from "./things.ts";

/** Sent besides, so that a request asks for something. */
const besides: Readonly<Record<string, Params>> = {
  "get-messages narrow": { anchor: "newest", num_before: 5, num_after: 0 },
  // A whole snapshot differs from the next in more than what was asked for.
  "register narrow": { fetch_event_types: ["alert_words"] },
};

interface Slot {
  readonly name: string;
  readonly where: "path" | "params";
  readonly naming: Naming;
}

interface Classified {
  readonly slots: readonly Slot[];
  /** What else has to be there. */
  readonly params: Params;
  /** Names of which nobody has said what they name. */
  readonly unknown: readonly string[];
}

/** What in a request for the operation names a thing. */
export function classify(operation: Operation): Classified {
  const slots: Slot[] = [];
  const params: Record<string, unknown> = {};
  const unknown: string[] = [];
  const table = <T>(from: Readonly<Record<string, T>>, ...names: readonly string[]) =>
    names.map((name) => from[name]).find((found) => found !== undefined);
  for (const { name } of operation.pathDecoders) {
    const naming = table(namings, `path ${name}`, name);
    if (naming) slots.push({ name, where: "path", naming });
    else if (!(name in plain)) unknown.push(`${operation.id}: ${name} of the path`);
  }
  for (const { name, parameter } of operation.decoders) {
    const own = `${operation.id} ${name}`;
    const { schema } = parameter.codec;
    const naming = own in plain ? undefined : (table(namings, own, name) ?? permission(schema));
    const sample = table(plain, own, name) ?? simple(schema);
    if (naming) slots.push({ name, where: "params", naming });
    else if (sample === undefined) unknown.push(own);
    else if (parameter.presence.required) params[name] = sample;
  }
  return { slots, params, unknown };
}

/** Permissions are given to groups and people, in creation as they are, in changes as what is `new`. */
function permission(schema: Readonly<Record<string, unknown>>): Naming | undefined {
  if (!JSON.stringify(schema).includes("direct_subgroups")) return undefined;
  const changed = "properties" in schema && "new" in (schema["properties"] as object);
  return ({ group }) => (changed ? { new: group } : group);
}

function simple(schema: Readonly<Record<string, unknown>>): unknown {
  if (schema["type"] === "boolean") return true;
  return (schema["enum"] as readonly unknown[] | undefined)?.[0];
}

/** A request for an operation that names one thing of somebody else. */
export interface Request {
  readonly operation: Operation;
  /** The operation, and the parameter that names it. */
  readonly what: string;
  readonly path: (own: Things, others: Things) => string;
  readonly params: (own: Things, others: Things) => Params;
}

/** For every operation, one request for each parameter in which it may name a thing; the others name the caller's own. */
export function requests(operations: readonly Operation[] = allOperations): Request[] {
  return operations.flatMap((operation) => {
    const { slots, params } = classify(operation);
    return slots.map((slot) => {
      const chosen = (where: Slot["where"], own: Things, others: Things) =>
        slots
          .filter((one) => one.where === where)
          .filter((one) => one === slot || where === "path" || isNeeded(operation, one.name))
          .map((one) => [one.name, one.naming(one === slot ? others : own)] as const);
      return {
        operation,
        what: `${operation.id} ${slot.name}`,
        path: (own: Things, others: Things) => {
          const parts = new Map(chosen("path", own, others));
          return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
            encodeURIComponent(String(parts.get(name) ?? plain[name])),
          );
        },
        params: (own: Things, others: Things) => ({
          ...params,
          ...besides[`${operation.id} ${slot.name}`],
          ...Object.fromEntries(chosen("params", own, others)),
        }),
      };
    });
  });
}

function isNeeded({ params }: Operation, name: string): boolean {
  return params[name]?.presence.required ?? false;
}
