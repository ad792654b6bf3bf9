import * as declared from "./declared.ts";
import type { EventDeclaration } from "../primitives/event.ts";

/** The declarations of events, among all that their files export. */
export type DeclaredEvents = {
  readonly [
    Name in keyof typeof declared as (typeof declared)[Name] extends EventDeclaration ? Name : never
  ]: (typeof declared)[Name];
};

/** Every declared event, by the name of its declaration. */
export const eventDeclarations = Object.fromEntries(
  Object.entries<unknown>(declared).filter(([, value]) => isEvent(value)),
) as unknown as DeclaredEvents;

/** Every declared event. */
export const allEvents: readonly EventDeclaration[] =
  Object.values<EventDeclaration>(eventDeclarations);

function isEvent(value: unknown): boolean {
  return typeof value === "function" && "type" in value && "fields" in value && "older" in value;
}

const byKind = new Map<string, Map<string | undefined, EventDeclaration>>();
for (const each of allEvents) {
  const ofType = byKind.get(each.type) ?? new Map<string | undefined, EventDeclaration>();
  if (ofType.has(each.op)) throw new Error(`${kindOf(each)} is declared twice`);
  byKind.set(each.type, ofType.set(each.op, each));
}

/** Returns the declaration of a row of the log; undefined for a row that another version of Carillon has written. */
export function eventOf(type: string, op: string | null | undefined): EventDeclaration | undefined {
  return byKind.get(type)?.get(op ?? undefined);
}

/** Names an event by its type and, if it has one, its op: `user_group/add`. */
export function kindOf({ type, op }: Pick<EventDeclaration, "type" | "op">): string {
  return op === undefined ? type : `${type}/${op}`;
}
