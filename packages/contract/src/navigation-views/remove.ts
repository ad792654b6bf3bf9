import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `DELETE /navigation_views/{fragment}` (bot-storage-alert-words-navigation.md §3). */
export const removeNavigationView = operation({
  id: "remove-navigation-view",
  method: "DELETE",
  path: "/api/v1/navigation_views/{fragment}",
  pathParams: { fragment: path.rest() },
  access: "account",
  summary: "Remove a navigation view",
  example: {
    made: { ADDED: ["add-navigation-view", "result"] },
    path: { fragment: "narrow/channel/1-general" },
  },
  description: "A view that every client has is as it was at first then.",
  missingIs404: true,
});
