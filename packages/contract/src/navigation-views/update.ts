import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `PATCH /navigation_views/{fragment}` (bot-storage-alert-words-navigation.md §3). */
export const updateNavigationView = operation({
  id: "edit-navigation-view",
  method: "PATCH",
  path: "/api/v1/navigation_views/{fragment}",
  pathParams: { fragment: path.rest() },
  access: "account",
  summary: "Update a navigation view",
  example: {
    made: { ADDED: ["add-navigation-view", "result"] },
    path: { fragment: "narrow/channel/1-general" },
    params: { is_pinned: false },
  },
  params: {
    is_pinned: form
      .bool()
      .optional()
      .describe("Whether it stands among those that are always shown."),
    name: form.text().optional().describe("At most 500 characters."),
  },
  missingIs404: true,
});
