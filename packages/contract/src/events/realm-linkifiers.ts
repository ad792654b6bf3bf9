import { z } from "zod";
import { linkifierObject } from "../operations/linkifiers.ts";
import { event } from "./event.ts";

export const linkifiersChanged = event({
  type: "realm_linkifiers",
  about: "The organization's linkifiers changed: the event has all of them.",
  to: "everybody",
  fields: { realm_linkifiers: z.array(linkifierObject) },
  older: { linkifier_url_template: { about: "None." } },
  snapshot: { field: "realm_linkifiers", becomes: "realm_linkifiers" },
});
