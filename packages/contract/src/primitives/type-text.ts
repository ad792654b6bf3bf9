import type { JsonSchema } from "./parameter.ts";

/** Describes a schema in a cell of a Markdown table: `integer or string[]`. */
export function typeText(schema: JsonSchema): string {
  const text = withoutNull(schema);
  return schema["nullable"] === true ? `${text} or null` : text;
}

function withoutNull(schema: JsonSchema): string {
  if (typeof schema["title"] === "string") return schema["title"];
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices)) {
    return [...new Set(choices.map((choice: JsonSchema) => typeText(choice)))].join(" or ");
  }
  if (Array.isArray(schema["enum"])) {
    return schema["enum"]
      .map((value) => (value === null ? "null" : `\`${String(value)}\``))
      .join(", ");
  }
  if (schema["type"] === "array") {
    const items = typeText((schema["items"] ?? {}) as JsonSchema);
    return items.includes(" ") ? `(${items})[]` : `${items}[]`;
  }
  if (schema["type"] === "object" && schema["properties"]) {
    return `object (${Object.keys(schema["properties"])
      .map((name) => `\`${name}\``)
      .join(", ")})`;
  }
  return typeof schema["type"] === "string" ? schema["type"] : "any";
}
