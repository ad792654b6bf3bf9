import { z } from "zod";
import { form } from "../form.ts";
import { shape } from "../shape.ts";

/** Other accounts than one's own. */
export const principals = form
  .json(z.union([z.array(shape.id), z.array(z.string())]))
  .optional()
  .describe("IDs or e-mail addresses of the users; oneself unless given.");
