import { z } from "zod";
import type { JsonSchema, Parameter } from "./parameter.ts";

/** Zod shapes and parameters as the schemas of an OpenAPI 3.0 document. */

/** Schemas that say less than what they check; documents have another one in their place. */
export const writtenAs = new WeakMap<object, () => z.ZodType>();

/** @param io whether the schema tells what is sent to the server or what comes out of it */
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

/** The parameter's schema with what its presence adds: null, a default. */
export function parameterSchema(parameter: Parameter<unknown>): JsonSchema {
  const { nullIs, fallback } = parameter.presence;
  return {
    ...parameter.codec.schema,
    ...(nullIs === "refused" ? {} : { nullable: true }),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
}

/** Zod spells out the range of safe integers, and forbids other keys where nobody needs to know. */
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
