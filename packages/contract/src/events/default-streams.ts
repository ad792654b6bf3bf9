import { z } from "zod";
import { event } from "./event.ts";

export const defaultChannelsChanged = event({
  type: "default_streams",
  about: "The channels that new members are subscribed to: all of them. A guest is told of none.",
  to: "some",
  receivers: "everybody but guests; who becomes a guest, or is one no more",
  fields: { default_streams: z.array(z.int()) },
  snapshot: { field: "realm_default_streams", becomes: "default_streams" },
});
