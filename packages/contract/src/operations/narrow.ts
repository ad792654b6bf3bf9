import * as z from "zod";
import { form } from "../primitives/form.ts";
import { shape } from "../primitives/shape.ts";

/** One condition of a narrow, sent in either of its two forms (messages.md §2). */
export interface NarrowTerm {
  readonly operator: string;
  readonly operand: string | number | readonly number[];
  readonly negated: boolean;
}

/** Any whole number: each operator decides whether it is an ID. */
const whole = shape.integer;

const term = z.object({
  operator: z.string(),
  operand: z.union([z.string(), whole, z.array(whole)]),
  negated: z.boolean().default(false),
});

const pair = z
  .tuple([z.string(), z.string()])
  .transform(([operator, operand]) => ({ operator, operand, negated: false }));

const narrow = z.array(z.union([term, pair]));

/** The `narrow` parameter: all terms must hold. JSON `null` is an empty narrow. */
export const narrowParameter = form.json(narrow).default([]).nullMeansAbsent();

/** A required `narrow`; `null` stays null. */
export const requiredNarrowParameter = form.json(narrow).nullable();
