import { z } from "zod";
import { bounds } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** What a linkifier consists of. */
export const linkifierParameters = {
  pattern: form
    .text()
    .describe(
      "A regular expression of RE2, with named groups; no other linkifier of the organization has the same.",
    ),
  url_template: form
    .text()
    .describe("A URL template of RFC 6570, with a variable for each named group of the pattern."),
};

/** `POST /realm/filters` (rendering.md §3). */
export const createLinkifier = operation({
  id: "create-linkifier",
  method: "POST",
  path: "/api/v1/realm/filters",
  access: "administrator",
  summary: "Create a linkifier",
  example: {
    params: { pattern: "#$RANDOM-(?P<id>[0-9]+)", url_template: "https://issues.example.com/{id}" },
  },
  description: `It is tried after all others. An organization has at most ${bounds.linkifiers}.`,
  params: linkifierParameters,
  result: { id: z.int() },
});
