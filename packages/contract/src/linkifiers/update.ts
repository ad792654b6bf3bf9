import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { linkifierParameters } from "./create.ts";

/** `PATCH /realm/filters/{filter_id}` (rendering.md §3). */
export const updateLinkifier = operation({
  id: "update-linkifier",
  method: "PATCH",
  path: "/api/v1/realm/filters/{filter_id}",
  access: "administrator",
  summary: "Update a linkifier",
  example: {
    made: { FILTER_ID: ["create-linkifier", "id"] },
    path: { filter_id: "$FILTER_ID" },
    params: {
      pattern: "issue-$RANDOM-(?P<id>[0-9]+)",
      url_template: "https://issues.example.com/{id}",
    },
  },
  description: "It keeps its place. What was sent before stays as it is.",
  pathParams: { filter_id: path.int() },
  params: linkifierParameters,
});
