import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `POST /navigation_views` (bot-storage-alert-words-navigation.md §3). */
export const addNavigationView = operation({
  id: "add-navigation-view",
  method: "POST",
  path: "/api/v1/navigation_views",
  access: "account",
  summary: "Add a navigation view",
  example: { params: { fragment: "narrow/channel/1-general", name: "General" } },
  params: {
    fragment: form.text().describe("The view's URL hash, of at most 500 characters."),
    is_pinned: form.bool().describe("Whether it stands among those that are always shown."),
    name: form
      .text()
      .optional()
      .describe(
        "At most 500 characters; needed for a view that not every client has, and else refused.",
      ),
  },
});
