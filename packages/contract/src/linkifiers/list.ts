import { z } from "zod";
import { operation } from "../operation.ts";
import { linkifierObject } from "./linkifier-object.ts";

/** `GET /realm/linkifiers` (rendering.md §3). */
export const listLinkifiers = operation({
  id: "list-linkifiers",
  method: "GET",
  path: "/api/v1/realm/linkifiers",
  access: "account",
  summary: "List linkifiers",
  description: "All of the organization, in the order in which they are tried.",
  result: { linkifiers: z.array(linkifierObject) },
});
