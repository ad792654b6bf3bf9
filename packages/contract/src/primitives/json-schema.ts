import * as z from "zod";
import type { JsonSchema, Parameter } from "./parameter.ts";

/** Zod shapes and parameters as the schemas of an OpenAPI 3.0 document. */

/** Schemas that documents replace by more precise ones. */
export const writtenAs = new WeakMap<object, () => z.ZodType>();

/**
 * Returns the JSON schema of a shape, in the form of OpenAPI 3.0.
 * @param io whether the schema describes input or output of the server
 */
export function schemaOf(shape: z.ZodType, io: "input" | "output"): JsonSchema {
  const schema = z.toJSONSchema(shape, {
    target: "openapi-3.0",
    io,
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      const other = writtenAs.get(zodSchema)?.();
      if (!other) return;
      const written: Record<string, unknown> = jsonSchema;
      for (const key of Object.keys(written)) delete written[key];
      Object.assign(written, schemaOf(other, io));
    },
  });
  return withoutNoise(schema) as JsonSchema;
}

/** Returns the parameter's schema, with null and its default if they apply. */
export function parameterSchema(parameter: Parameter<unknown>): JsonSchema {
  const { nullIs, fallback } = parameter.presence;
  return {
    ...parameter.codec.schema,
    ...(nullIs === "refused" ? {} : { nullable: true }),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
}

/** Removes the range of safe integers and `additionalProperties: false`, which readers of the document do not need. */
function withoutNoise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNoise);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, item]) =>
      !(key === "minimum" && item === Number.MIN_SAFE_INTEGER) &&
      !(key === "maximum" && item === Number.MAX_SAFE_INTEGER) &&
      !(key === "additionalProperties" && item === false) &&
      key !== "$schema",
  );
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNoise(item)]));
}
