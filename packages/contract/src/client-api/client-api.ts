import * as z from "zod";
import { eventDeclarations } from "../events/all-events.ts";
import { variantsOf } from "../primitives/event-fields.ts";
import type { EventDeclaration } from "../primitives/event.ts";
import { clientCapabilities } from "../primitives/capabilities.ts";
import { errorCodes } from "../primitives/error-codes.ts";
import { parameterSchema, schemaOf, writtenAs } from "../primitives/json-schema.ts";
import type { Operation } from "../primitives/operation.ts";
import type { JsonSchema, Parameter } from "../primitives/parameter.ts";
import { anyEvent, camelCase, namesOfShapes, pascalCase } from "./type-names.ts";
import { commentOf, typeName, TypeWriter } from "./type-script.ts";

/**
 * Writes the generated files of `packages/client`: the types of all operations and events, and the table that the client
 * sends requests by. Pages (people.md §8) are left out: they are for browsers.
 * @returns texts by file name
 */
export function clientApi(operations: readonly Operation[]): ReadonlyMap<string, string> {
  const called = operations.filter(({ page }) => !page).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return new Map([
    ["api.ts", new ApiTypes().text(called)],
    ["routes.ts", routes(called)],
  ]);
}

const head = "// Generated from packages/contract; do not edit.\n";

/** The file part of operations that take a file. */
const filePart = "file";

class ApiTypes {
  readonly #names = namesOfShapes();
  readonly #params = new TypeWriter({ readonly: true });
  readonly #results = new TypeWriter({ readonly: false });

  text(operations: readonly Operation[]): string {
    const each = operations.map((operation) => this.#operation(operation));
    const events = this.#events();
    const named = [...this.#results.declarations].filter(([name]) => name !== anyEvent);
    const sections = [
      head,
      'import type { CallOptions } from "../call-options.ts";\n',
      `${commentOf("All error codes of the server.")}export type ErrorCode =\n${Object.keys(
        errorCodes,
      )
        .map((code) => `  | ${JSON.stringify(code)}`)
        .join("\n")};\n`,
      `${commentOf("What every successful answer has.")}export interface Answer {\n  result: "success";\n  msg: string;\n${commentOf(
        "Names of sent parameters that the server does not have; absent when there are none.",
        "  ",
      )}  ignored_parameters_unsupported?: string[];\n}\n`,
      `${commentOf("The parameters of an operation that has none.")}export type NoParams = Record<string, never>;\n`,
      ...named.map(([, text]) => text),
      ...each.flatMap(({ params, result }) => [params, result]),
      ...events,
      `${commentOf("Parameters and answer of every operation, by its id.")}export interface Operations {\n${each
        .map(({ entry }) => entry)
        .join("")}}\n`,
      `${commentOf("Every operation as a method.")}export interface Methods {\n${each
        .map(({ method }) => method)
        .join("\n")}}\n`,
    ];
    return sections.filter(Boolean).join("\n");
  }

  #operation(operation: Operation) {
    const { id, summary, description, method, path, idempotencyKey } = operation;
    const base = pascalCase(id);
    const params = this.#paramsOf(operation);
    const result = this.#resultOf(operation);
    const paramsType = params === undefined ? "NoParams" : `${base}Params`;
    const resultType =
      result === undefined ? (operation.raw ? "Response" : "Answer") : `${base}Result`;
    const mark = params?.required ? "" : "?";
    const about = [
      `${summary}: \`${method} ${path}\`.`,
      ...(description === undefined ? [] : [description]),
      ...(idempotencyKey ? ["Repeated safely."] : []),
    ].join("\n\n");
    return {
      params: params && `export interface ${paramsType} {\n${params.members}}\n`,
      result: result && `export interface ${resultType} extends Answer {\n${result}}\n`,
      entry: `  ${JSON.stringify(id)}: { params: ${paramsType}; result: ${resultType} };\n`,
      method: `${commentOf(about, "  ")}  ${camelCase(id)}(params${mark}: ${paramsType}, options?: CallOptions): Promise<${resultType}>;\n`,
    };
  }

  #paramsOf(operation: Operation): { members: string; required: boolean } | undefined {
    const fields: Record<string, JsonSchema> = {};
    const required = new Set<string>();
    for (const { name, parameter } of operation.pathDecoders) {
      fields[name] = parameter.schema;
      required.add(name);
    }
    for (const { name, parameter } of operation.decoders) {
      const { presence } = parameter;
      if (presence.ignored) continue;
      if (name in fields)
        throw new Error(`${operation.id}: ${name} is in the path and among the parameters`);
      fields[name] = { ...parameterSchema(parameter), description: aboutParameter(parameter) };
      if (presence.required) required.add(name);
    }
    if (operation.takesFile) {
      fields[filePart] = {
        [typeName]: "Blob",
        description: "Its `name`, if it has one, is sent along.",
      };
      required.add(filePart);
    }
    if (Object.keys(fields).length === 0) return undefined;
    const members = this.#params.members(fields, (name) => required.has(name), "  ");
    return { members, required: required.size > 0 };
  }

  #resultOf(operation: Operation): string | undefined {
    if (operation.raw) return undefined;
    const { properties, required } = this.#schema(z.object(operation.result));
    const fields = (properties ?? {}) as Readonly<Record<string, JsonSchema>>;
    const more = operation.moreFields ? "  [field: string]: unknown;\n" : "";
    if (Object.keys(fields).length === 0 && !more) return undefined;
    const needed = new Set((required ?? []) as readonly string[]);
    return this.#results.members(fields, (name) => needed.has(name), "  ") + more;
  }

  #events(): string[] {
    const served = Object.entries<EventDeclaration>(eventDeclarations)
      .filter(([, { internal, notServedYet }]) => !internal && !notServedYet)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    const names = served.map(([name]) => `${pascalCase(name)}Event`);
    const types = served.map(([, declared], at) => this.#event(names[at] ?? "", declared));
    const union = names.map((name) => `  | ${name}`).join("\n");
    const about =
      "An event of a queue that has registered with all capabilities, as the client does.";
    return [...types, `${commentOf(about)}export type ${anyEvent} =\n${union};\n`];
  }

  #event(name: string, { type, op, about, optIn, fields }: EventDeclaration): string {
    const kind = { id: z.int(), type: z.literal(type) };
    const head = op === undefined ? kind : { ...kind, op: z.literal(op) };
    const forms = variantsOf(fields).map((each) =>
      this.#results.typeOf(this.#schema(z.strictObject({ ...head, ...each }))),
    );
    const note = optIn ? `${about} Only for queues whose \`event_types\` name it.` : about;
    const [only = ""] = forms;
    return forms.length === 1
      ? `${commentOf(note)}export interface ${name} ${only}\n`
      : `${commentOf(note)}export type ${name} =\n${forms.map((form) => `  | ${form}`).join("\n")};\n`;
  }

  /** Writes a shape of the server's output as a schema in which named shapes carry their names. */
  #schema(shape: z.ZodType): JsonSchema {
    return z.toJSONSchema(shape, {
      target: "openapi-3.0",
      io: "output",
      unrepresentable: "any",
      override: ({ zodSchema, jsonSchema }) => {
        const written: Record<string, unknown> = jsonSchema;
        const name = this.#names.get(zodSchema);
        const other = name === anyEvent ? undefined : writtenAs.get(zodSchema)?.();
        if (other) {
          for (const key of Object.keys(written)) delete written[key];
          Object.assign(written, schemaOf(other, "output"));
        }
        if (name !== undefined) written[typeName] = name;
      },
    }) as JsonSchema;
  }
}

function aboutParameter({ presence }: Parameter<unknown>): string | undefined {
  const { description, fallback, required } = presence;
  const isShort = ["string", "number", "boolean"].includes(typeof fallback);
  const otherwise = !required && isShort ? `Default: ${JSON.stringify(fallback)}.` : undefined;
  const text = [description, otherwise].filter(Boolean).join(" ");
  return text === "" ? undefined : text;
}

/**
 * Writes the table of requests: `METHOD path`, then the names of parameters whose strings are sent as JSON. After the
 * method, `!` marks operations that take an idempotency key, and `*` those whose answer is not JSON of the protocol.
 */
function routes(operations: readonly Operation[]): string {
  const lines = operations.map((operation) => {
    const { id, method, path, idempotencyKey, raw } = operation;
    const marks = `${idempotencyKey ? "!" : ""}${raw ? "*" : ""}`;
    const text = [`${method}${marks}`, path, ...jsonStrings(operation)].join(" ");
    return `  ${JSON.stringify(id)}: ${JSON.stringify(text)},\n`;
  });
  const about = commentOf(
    "Requests by operation: method, path, and parameters whose strings are sent as JSON. `!`: takes an idempotency key; `*`: the answer is not an object of the protocol.",
  );
  const capabilities = clientCapabilities.map((name) => `  ${JSON.stringify(name)},\n`).join("");
  return [
    head,
    `${about}export const routes = {\n${lines.join("")}} as const;\n`,
    `${commentOf("Capabilities of a client that knows the newest form of every event.")}export const capabilities = [\n${capabilities}] as const;\n`,
  ].join("\n");
}

/** Lists the parameters whose text is JSON and whose value may be a string: without quotes, `7` would be a number. */
function jsonStrings({ decoders }: Operation): string[] {
  return decoders
    .filter(({ parameter }) => parameter.codec.json && mayBeString(parameter.codec.schema))
    .map(({ name }) => name);
}

function mayBeString(schema: JsonSchema): boolean {
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices)) return choices.some(mayBeString);
  return schema["type"] === "string" || schema["type"] === undefined;
}
