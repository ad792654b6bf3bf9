import { allOperations, type Operation } from "@carillon/contract";
import type { Params } from "@carillon/testkit";
import type { Maker } from "../made-value.ts";
import { namings, plain, type Naming } from "./parameters.ts";
import type { Things } from "./things.ts";

/** Added to requests that would otherwise be empty. */
const besides: Readonly<Record<string, Params>> = {
  "get-messages narrow": { anchor: "newest", num_before: 5, num_after: 0 },
  // Two whole snapshots differ by more than the requested things.
  "register narrow": { fetch_event_types: ["alert_words"] },
  // A blocking poll would wait for the next heartbeat.
  "get-events queue_id": { dont_block: true },
};

interface Slot {
  readonly name: string;
  readonly where: "path" | "params";
  readonly naming: Naming;
}

interface Classified {
  readonly slots: readonly Slot[];
  /** Other required parameters. */
  readonly params: Params;
  /** Parameters that are not classified in `parameters.ts`. */
  readonly unknown: readonly string[];
}

/** Creates the thing for a placeholder of the operation's example, such as `$SNIPPET_ID`. */
function makerOf(operation: Operation, value: unknown) {
  if (typeof value !== "string" || !value.startsWith("$")) return undefined;
  return operation.example?.made?.[value.slice(1)];
}

/** Things that examples of other operations create first, besides those of `parameters.ts`: operation and field. */
export function furtherThings(operations: readonly Operation[] = allOperations): Maker[] {
  return operations.flatMap((operation) =>
    Object.entries({ ...operation.example?.path, ...operation.example?.params })
      .filter(([name]) => !(name in namings) && !(name in plain))
      .flatMap(([, value]) => {
        const maker = makerOf(operation, value);
        return maker ? [maker] : [];
      }),
  );
}

function madeFirst(operation: Operation, value: unknown): Naming | undefined {
  const maker = makerOf(operation, value);
  return maker && (({ made }) => made(maker.join(" ")));
}

/** The example value of a parameter; not for IDs, which might refer to anything. */
function shown({ example }: Operation, name: string): unknown {
  return /_ids?$/.test(name) ? undefined : example?.params?.[name];
}

/** The parts of the operation's request that refer to a thing. */
export function classify(operation: Operation): Classified {
  const slots: Slot[] = [];
  const params: Record<string, unknown> = {};
  const unknown: string[] = [];
  const table = <T>(from: Readonly<Record<string, T>>, ...names: readonly string[]) =>
    names.map((name) => from[name]).find((found) => found !== undefined);
  for (const { name } of operation.pathDecoders) {
    const naming =
      table(namings, `${operation.id} ${name}`, `path ${name}`, name) ??
      madeFirst(operation, operation.example?.path?.[name]);
    if (naming) slots.push({ name, where: "path", naming });
    else if (!(name in plain)) unknown.push(`${operation.id}: ${name} of the path`);
  }
  for (const { name, parameter } of operation.decoders) {
    const own = `${operation.id} ${name}`;
    const { schema } = parameter.codec;
    const naming =
      own in plain
        ? undefined
        : (table(namings, own, name) ??
          permission(schema) ??
          madeFirst(operation, operation.example?.params?.[name]));
    const sample = table(plain, own, name) ?? simple(schema) ?? shown(operation, name);
    if (naming) slots.push({ name, where: "params", naming });
    else if (sample === undefined) unknown.push(own);
    else if (parameter.presence.required) params[name] = sample;
  }
  return { slots, params, unknown };
}

/** Permissions take groups and people: as a value on creation, as `new` in changes. */
function permission(schema: Readonly<Record<string, unknown>>): Naming | undefined {
  if (!JSON.stringify(schema).includes("direct_subgroups")) return undefined;
  const changed = "properties" in schema && "new" in (schema["properties"] as object);
  return ({ group }) => (changed ? { new: group } : group);
}

function simple(schema: Readonly<Record<string, unknown>>): unknown {
  if (schema["type"] === "boolean") return true;
  return (schema["enum"] as readonly unknown[] | undefined)?.[0];
}

/** A request for an operation that refers to one thing of another organization. */
export interface Request {
  readonly operation: Operation;
  /** The operation and the parameter that refers to the thing. */
  readonly what: string;
  readonly path: (own: Things, others: Things) => string;
  readonly params: (own: Things, others: Things) => Params;
}

/** For every operation, a request for each parameter that may refer to a thing; others refer to the caller's own. */
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
