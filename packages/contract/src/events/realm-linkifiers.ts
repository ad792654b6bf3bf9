import { z } from "zod";
import { event } from "./event.ts";

export const linkifiersChanged = event({
  type: "realm_linkifiers",
  about: "The organization's linkifiers: all of them.",
  to: "everybody",
  fields: { realm_linkifiers: z.array(z.looseObject({ id: z.int() })) },
  older: { linkifier_url_template: { about: "None." } },
  notServedYet: true,
});
