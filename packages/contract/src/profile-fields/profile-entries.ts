import { z } from "zod";
import { mostProfileFields } from "../bounds.ts";
import { form } from "../form.ts";
import { shape } from "../shape.ts";

/** Values of custom profile fields that an account is to have. */
export const profileEntries = form
  .json(
    z.array(
      z.object({
        id: shape.id,
        value: z.union([z.string(), z.array(shape.id), z.null()]),
      }),
    ),
    { most: mostProfileFields },
  )
  .describe('Values of custom profile fields; `null`, `""` and `[]` remove one.');
