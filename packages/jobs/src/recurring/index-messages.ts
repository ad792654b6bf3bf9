import { recurring } from "../recurring.ts";

export const indexMessagesForSearch = recurring({
  name: "index-messages",
  about:
    "Writes what searching goes by of messages that do not have it: those from before there was a search.",
  processes: ["worker"],
  every: "1m",
  leader: "one",
  bound: { batch: 250, batches: Number.POSITIVE_INFINITY, of: "messages" },
  deadline: "1h",
});
