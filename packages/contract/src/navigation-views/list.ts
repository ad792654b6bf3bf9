import { z } from "zod";
import { operation } from "../operation.ts";
import { navigationView } from "./view-object.ts";

/** `GET /navigation_views` (bot-storage-alert-words-navigation.md §3). */
export const listNavigationViews = operation({
  id: "get-navigation-views",
  method: "GET",
  path: "/api/v1/navigation_views",
  access: "account",
  summary: "Get all navigation views",
  description: "Those that the account has said something of.",
  result: { navigation_views: z.array(navigationView) },
});
