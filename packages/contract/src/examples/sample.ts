import type { JsonSchema } from "../primitives/parameter.ts";
import { demoValues } from "./demo-values.ts";

/** Makes a value that fits a schema: the demo's value of that name, or else any value of the type. */
export function sampleOf(schema: JsonSchema, name = ""): unknown {
  const { enum: values, type, items, properties, anyOf, oneOf, allOf, minimum } = schema;
  if (Array.isArray(values)) return values[0];
  const choices = [anyOf, oneOf, allOf].find(Array.isArray) as JsonSchema[] | undefined;
  if (choices?.[0]) return sampleOf(choices[0], name);
  const known = demoValues[name];
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(([key, of]) => [
          key,
          sampleOf(of, key),
        ]),
      );
    case "array":
      // A list that is always empty has items of type never.
      return items && !("not" in (items as JsonSchema))
        ? [sampleOf(items as JsonSchema, name.replace(/s$/, ""))]
        : [];
    case "integer":
    case "number":
      return typeof known === "number" ? known : Math.max(1, Number(minimum ?? 1));
    case "boolean":
      return true;
    case "string":
      return typeof known === "string" ? known : name === "" ? "text" : name.replaceAll("_", " ");
    default:
      return known ?? null;
  }
}
