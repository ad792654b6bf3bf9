import * as z from "zod";
import { event } from "../primitives/event.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** Maximum number of views of one account: each registration returns all of them. */
export const maxNavigationViews = 1_000;

/** A view of the navigation in answers; `name` is null for built-in views. */
export const navigationView = z.strictObject({
  fragment: z.string(),
  is_pinned: z.boolean(),
  name: z.string().nullable(),
});

/** `GET /navigation_views` (bot-storage-alert-words-navigation.md §3). */
export const listNavigationViews = operation({
  id: "get-navigation-views",
  method: "GET",
  path: "/api/v1/navigation_views",
  access: "account",
  summary: "Get all navigation views",
  description: "Views that the account has added or changed.",
  result: { navigation_views: z.array(navigationView) },
});

/** `POST /navigation_views` (bot-storage-alert-words-navigation.md §3). */
export const addNavigationView = operation({
  id: "add-navigation-view",
  method: "POST",
  path: "/api/v1/navigation_views",
  access: "account",
  idempotencyKey: true,
  summary: "Add a navigation view",
  example: { params: { fragment: "narrow/channel/1-general", name: "General" } },
  params: {
    fragment: form.text().describe("The view's URL hash, of at most 500 characters."),
    is_pinned: form.bool().describe("Whether clients always show the view."),
    name: form
      .text()
      .optional()
      .describe("At most 500 characters; required for a custom view, refused for a built-in one."),
  },
});

/** `PATCH /navigation_views/{fragment}` (bot-storage-alert-words-navigation.md §3). */
export const updateNavigationView = operation({
  id: "edit-navigation-view",
  method: "PATCH",
  path: "/api/v1/navigation_views/{fragment}",
  pathParams: { fragment: path.rest() },
  access: "account",
  idempotencyKey: true,
  summary: "Update a navigation view",
  example: {
    made: { ADDED: ["add-navigation-view", "result"] },
    path: { fragment: "narrow/channel/1-general" },
    params: { is_pinned: false },
  },
  params: {
    is_pinned: form.bool().optional().describe("Whether clients always show the view."),
    name: form.text().optional().describe("At most 500 characters."),
  },
  missingIs404: true,
});

/** `DELETE /navigation_views/{fragment}` (bot-storage-alert-words-navigation.md §3). */
export const removeNavigationView = operation({
  id: "remove-navigation-view",
  method: "DELETE",
  path: "/api/v1/navigation_views/{fragment}",
  pathParams: { fragment: path.rest() },
  access: "account",
  idempotencyKey: true,
  summary: "Remove a navigation view",
  example: {
    made: { ADDED: ["add-navigation-view", "result"] },
    path: { fragment: "narrow/channel/1-general" },
  },
  description: "Resets a built-in view to its default.",
  missingIs404: true,
});

export const navigationViewAdded = event({
  type: "navigation_view",
  op: "add",
  about: "The account has added a navigation view, or stored a setting of a built-in one.",
  to: "some",
  receivers: "the account",
  fields: { navigation_view: navigationView },
  snapshot: { list: "navigation_views", by: "fragment", adds: "navigation_view" },
});

export const navigationViewUpdated = event({
  type: "navigation_view",
  op: "update",
  about: "The account has changed a navigation view: the event has the requested fields.",
  to: "some",
  receivers: "the account",
  fields: {
    fragment: z.string(),
    data: z.strictObject({ is_pinned: z.boolean().optional(), name: z.string().optional() }),
  },
  snapshot: { list: "navigation_views", by: "fragment", merges: "data", into: "fragment" },
});

export const navigationViewRemoved = event({
  type: "navigation_view",
  op: "remove",
  about: "The account has removed a view from its navigation.",
  to: "some",
  receivers: "the account",
  fields: { fragment: z.string() },
  snapshot: { list: "navigation_views", by: "fragment", removes: "fragment" },
});
