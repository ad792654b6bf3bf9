import { z } from "zod";
import { mostAccounts } from "../bounds.ts";
import { form } from "../form.ts";
import { shape } from "../shape.ts";

/** Other accounts than one's own. */
export const principals = form
  .json(z.union([z.array(shape.id), z.array(z.string())]), { most: mostAccounts })
  .optional()
  .describe("IDs or e-mail addresses of the users; at most 10,000; oneself unless given.");
