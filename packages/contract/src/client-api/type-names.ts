import type * as z from "zod";
import { deliveredEvent } from "../delivered-event.ts";
import { messageSent } from "../events/message.ts";
import * as events from "../events/declared.ts";
import * as channels from "../operations/channel-object.ts";
import * as conditions from "../operations/conditions.ts";
import * as operations from "../operations/declared.ts";
import * as messages from "../operations/message-resource.ts";
import * as groupSettings from "../permissions/group-setting.ts";

/** The type of any event, which is written apart from the schemas. */
export const anyEvent = "ServerEvent";

/**
 * Names the types of shapes: those that a file of declarations exports, by the name of the export, and a few that matter
 * to every program.
 */
export function namesOfShapes(): ReadonlyMap<unknown, string> {
  const modules = [operations, events, groupSettings, channels, conditions, messages];
  const exported = modules.flatMap((module) => Object.entries<unknown>(module).filter(isNamed));
  return new Map<unknown, string>([
    ...exported.map(([name, shape]) => [shape, typeNameOf(name)] as const),
    [messageSent.fields.message, "EventMessage"],
    [deliveredEvent, anyEvent],
  ]);
}

/** `saved-snippet` and `savedSnippet` are `SavedSnippet`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** `send-message` is `sendMessage`. */
export function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** `userObject` is a `User`: the suffix distinguishes the shape from others of its file. */
function typeNameOf(name: string): string {
  return pascalCase(name.replace(/(Object|Resource|Shape)$/, ""));
}

/** Only objects and unions get a name: an alias of a string would hide what it is. */
function isNamed([, value]: [string, unknown]): boolean {
  if (typeof value !== "object" || value === null || !("_zod" in value)) return false;
  const { type } = (value as z.ZodType).def;
  return type === "object" || type === "union";
}
