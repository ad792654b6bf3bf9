import * as z from "zod";
import { event } from "../primitives/event.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { shape } from "../primitives/shape.ts";

/** Maximum number of linkifiers of an organization: each text is matched with all of them. */
export const maxLinkifiers = 100;

/** Maximum number of RE2 instructions of all patterns of an organization together. */
export const maxLinkifierInstructions = 2_000;

/** A linkifier as clients see it (rendering.md §3). */
export const linkifierObject = z.strictObject({
  id: z.int(),
  pattern: z.string(),
  url_template: z.string(),
});
export type LinkifierObject = z.infer<typeof linkifierObject>;

/** `GET /realm/linkifiers` (rendering.md §3). */
export const listLinkifiers = operation({
  id: "list-linkifiers",
  method: "GET",
  path: "/api/v1/realm/linkifiers",
  access: "account",
  summary: "List linkifiers",
  description: "All of the organization, in the order in which they are applied.",
  result: { linkifiers: z.array(linkifierObject) },
});

/** Parameters of a linkifier. */
const linkifierParameters = {
  pattern: form
    .text()
    .describe("An RE2 regular expression with named groups; unique in the organization."),
  url_template: form
    .text()
    .describe("A URL template (RFC 6570) with a variable for each named group of the pattern."),
};

/** `POST /realm/filters` (rendering.md §3). */
export const createLinkifier = operation({
  id: "create-linkifier",
  method: "POST",
  path: "/api/v1/realm/filters",
  access: "administrator",
  idempotencyKey: true,
  summary: "Create a linkifier",
  example: {
    params: { pattern: "#$RANDOM-(?P<id>[0-9]+)", url_template: "https://issues.example.com/{id}" },
  },
  description: `The new linkifier is applied after all others. An organization has at most ${maxLinkifiers}.`,
  params: linkifierParameters,
  result: { id: z.int() },
});

/** `PATCH /realm/filters/{filter_id}` (rendering.md §3). */
export const updateLinkifier = operation({
  id: "update-linkifier",
  method: "PATCH",
  path: "/api/v1/realm/filters/{filter_id}",
  access: "administrator",
  idempotencyKey: true,
  summary: "Update a linkifier",
  example: {
    made: { FILTER_ID: ["create-linkifier", "id"] },
    path: { filter_id: "$FILTER_ID" },
    params: {
      pattern: "issue-$RANDOM-(?P<id>[0-9]+)",
      url_template: "https://issues.example.com/{id}",
    },
  },
  description: "Its position stays. Messages sent before are not changed.",
  pathParams: { filter_id: path.int() },
  params: linkifierParameters,
});

/** `PATCH /realm/linkifiers` (rendering.md §3). */
export const reorderLinkifiers = operation({
  id: "reorder-linkifiers",
  method: "PATCH",
  path: "/api/v1/realm/linkifiers",
  access: "administrator",
  idempotencyKey: true,
  summary: "Reorder linkifiers",
  example: {
    made: { FILTER_ID: ["create-linkifier", "id"] },
    params: { ordered_linkifier_ids: "[$FILTER_ID]" },
  },
  params: {
    ordered_linkifier_ids: form
      .json(z.array(shape.id), { maxItems: { count: maxLinkifiers, of: "linkifiers" } })
      .describe("IDs of all linkifiers of the organization, each once."),
  },
});

/** `DELETE /realm/filters/{filter_id}` (rendering.md §3). */
export const removeLinkifier = operation({
  id: "remove-linkifier",
  method: "DELETE",
  path: "/api/v1/realm/filters/{filter_id}",
  access: "administrator",
  idempotencyKey: true,
  summary: "Remove a linkifier",
  example: { made: { FILTER_ID: ["create-linkifier", "id"] }, path: { filter_id: "$FILTER_ID" } },
  description: "Messages sent before are not changed.",
  pathParams: { filter_id: path.int() },
});

export const linkifiersChanged = event({
  type: "realm_linkifiers",
  about: "The organization's linkifiers changed: the event has all of them.",
  to: "everybody",
  fields: { realm_linkifiers: z.array(linkifierObject) },
  older: { linkifier_url_template: { about: "`realm_linkifiers` is empty." } },
  snapshot: { field: "realm_linkifiers", becomes: "realm_linkifiers" },
});
