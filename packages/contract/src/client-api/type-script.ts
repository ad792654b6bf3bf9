import type { JsonSchema } from "../primitives/parameter.ts";

/** The key under which a schema carries the name of its TypeScript type. */
export const typeName = "x-type-name";

/** Writes JSON schemas as TypeScript types. Schemas with a name become interfaces or aliases of their own. */
export class TypeWriter {
  readonly #named = new Map<string, string>();
  readonly #readonly: boolean;

  /** @param options `readonly`: lists are `readonly`, and absent fields may be undefined, as parameters need it */
  constructor(options: { readonly: boolean }) {
    this.#readonly = options.readonly;
  }

  /** The declarations of all named types that were written so far. */
  get declarations(): ReadonlyMap<string, string> {
    return this.#named;
  }

  /** Writes a type. A schema that describes nothing is `unknown`. */
  typeOf(schema: JsonSchema, indent = ""): string {
    return [...new Set(this.#alternatives(schema, indent))].join(" | ");
  }

  /**
   * Writes the members of an object type, one a line, with the descriptions as comments.
   * @param fields schemas by name
   */
  members(
    fields: Readonly<Record<string, JsonSchema>>,
    isRequired: (name: string) => boolean,
    indent: string,
  ): string {
    return Object.entries(fields)
      .map(([name, schema]) => {
        const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
        const mark = isRequired(name) ? "" : "?";
        const absent = mark && this.#readonly ? " | undefined" : "";
        const prefix = this.#readonly ? "readonly " : "";
        const about = schema["description"];
        const comment = typeof about === "string" ? commentOf(about, indent) : "";
        return `${comment}${indent}${prefix}${key}${mark}: ${this.typeOf(schema, indent)}${absent};\n`;
      })
      .join("");
  }

  #alternatives(schema: JsonSchema, indent: string): string[] {
    const types = this.#withoutNull(schema, indent);
    return schema["nullable"] === true ? [...types, "null"] : types;
  }

  #withoutNull(schema: JsonSchema, indent: string): string[] {
    const name = schema[typeName];
    if (typeof name === "string") return [this.#declared(name, schema)];
    const values = schema["enum"];
    if (Array.isArray(values)) return values.map((value) => JSON.stringify(value));
    const choices = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(choices))
      return choices.flatMap((choice: JsonSchema) => this.#alternatives(choice, indent));
    const parts = schema["allOf"];
    if (Array.isArray(parts))
      return [parts.map((part: JsonSchema) => grouped(this.typeOf(part, indent))).join(" & ")];
    return [this.#ofKind(schema, indent)];
  }

  #ofKind(schema: JsonSchema, indent: string): string {
    switch (schema["type"]) {
      case "array": {
        const items = grouped(this.typeOf((schema["items"] ?? {}) as JsonSchema, indent));
        return this.#readonly ? `readonly ${items}[]` : `${items}[]`;
      }
      case "object":
        return this.#object(schema, indent);
      case "integer":
      case "number":
        return "number";
      case "string":
        return "string";
      case "boolean":
        return "boolean";
      default:
        return "unknown";
    }
  }

  #object(schema: JsonSchema, indent: string): string {
    const fields = (schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>;
    const required = new Set((schema["required"] ?? []) as readonly string[]);
    const more = schema["additionalProperties"];
    const values = typeof more === "object" && more !== null ? (more as JsonSchema) : undefined;
    const names = Object.keys(fields);
    if (names.length === 0) {
      const items = values === undefined ? "unknown" : this.typeOf(values, indent);
      return this.#readonly ? `Readonly<Record<string, ${items}>>` : `Record<string, ${items}>`;
    }
    const inner = `${indent}  `;
    const rest = values === undefined ? "" : `${inner}[field: string]: unknown;\n`;
    return `{\n${this.members(fields, (name) => required.has(name), inner)}${rest}${indent}}`;
  }

  #declared(name: string, schema: JsonSchema): string {
    if (!this.#named.has(name)) {
      // Reserved before the fields are written: they may have the type itself.
      this.#named.set(name, "");
      const own = { ...schema, [typeName]: undefined, nullable: false, description: undefined };
      const text = this.typeOf(own);
      const isInterface = text.startsWith("{") && !/^\}./m.test(text);
      this.#named.set(
        name,
        isInterface ? `export interface ${name} ${text}\n` : `export type ${name} = ${text};\n`,
      );
    }
    return name;
  }
}

/** Writes a doc comment. */
export function commentOf(text: string, indent = ""): string {
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return [
    `${indent}/**`,
    ...lines.map((line) => `${indent} * ${line}`.trimEnd()),
    `${indent} */\n`,
  ].join("\n");
}

/** Puts a type into parentheses if it has several parts. */
function grouped(type: string): string {
  return /^[\w.]+(\[\])?$/.test(type) || (/^\{[^]*\}$/.test(type) && !type.includes(" | "))
    ? type
    : `(${type})`;
}
