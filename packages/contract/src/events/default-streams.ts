import { z } from "zod";
import { event } from "./event.ts";

export const defaultChannelsChanged = event({
  type: "default_streams",
  about:
    "The default channels of new members changed: the event has all of them. For guests the list is empty.",
  to: "some",
  receivers: "all accounts except guests; an account that becomes a guest or stops being one",
  fields: { default_streams: z.array(z.int()) },
  snapshot: { field: "realm_default_streams", becomes: "default_streams" },
});
