import { form } from "./form.ts";
import { Unusable, type Parameter } from "./parameter.ts";

/** Declares a parameter that is one of the listed JSON integers. */
export function oneInteger(allowed: readonly unknown[]): Parameter<number> {
  const { decode } = form.int().codec;
  return form.custom({
    decode(text) {
      const value = decode(text);
      if (!allowed.includes(value)) throw new Unusable(`must be one of ${allowed.join(", ")}`);
      return value;
    },
    schema: { type: "integer", enum: allowed },
    json: false,
  });
}
