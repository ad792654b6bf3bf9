import * as z from "zod";
import { knowableId, maxId, maxLongId } from "./ids.ts";

/** Building blocks for `form.json`: as strict as the parameters of http-contract.md §5. */
export const shape = {
  /** Any JSON integer, as it was sent. */
  integer: integer(),
  /**
   * The ID of an account, channel, group …: any JSON integer; one that no column can hold becomes 0, which is never
   * used.
   */
  id: idUpTo(maxId),
  /** The ID of a message or event. */
  longId: idUpTo(maxLongId),
  /** Any object with all of its keys: zod's records drop `__proto__`. */
  object: z
    .custom<Readonly<Record<string, unknown>>>(
      (value) => typeof value === "object" && value !== null && !Array.isArray(value),
      "must be an object",
    )
    .meta({ type: "object" }),
};

function integer() {
  return z.number().refine(Number.isInteger, "must be an integer").meta({ type: "integer" });
}

function idUpTo(max: number) {
  return integer().transform((id) => knowableId(id, max));
}
