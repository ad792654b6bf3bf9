import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `DELETE /realm/filters/{filter_id}` (rendering.md §3). */
export const removeLinkifier = operation({
  id: "remove-linkifier",
  method: "DELETE",
  path: "/api/v1/realm/filters/{filter_id}",
  access: "administrator",
  summary: "Remove a linkifier",
  example: { made: { FILTER_ID: ["create-linkifier", "id"] }, path: { filter_id: "$FILTER_ID" } },
  description: "What was sent before stays as it is.",
  pathParams: { filter_id: path.int() },
});
