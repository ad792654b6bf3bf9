import { z } from "zod";
import { mostLinkifiers } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { shape } from "../shape.ts";

/** `PATCH /realm/linkifiers` (rendering.md §3). */
export const reorderLinkifiers = operation({
  id: "reorder-linkifiers",
  method: "PATCH",
  path: "/api/v1/realm/linkifiers",
  access: "administrator",
  summary: "Reorder linkifiers",
  example: {
    made: { FILTER_ID: ["create-linkifier", "id"] },
    params: { ordered_linkifier_ids: "[$FILTER_ID]" },
  },
  params: {
    ordered_linkifier_ids: form
      .json(z.array(shape.id), { most: mostLinkifiers })
      .describe("IDs of all linkifiers of the organization, each once."),
  },
});
