import { z } from "zod";
import { navigationView } from "../operations/navigation-views.ts";
import { event } from "./event.ts";

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
