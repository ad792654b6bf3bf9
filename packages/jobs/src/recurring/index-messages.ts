import { recurring } from "../recurring.ts";

export const indexMessagesForSearch = recurring({
  name: "index-messages",
  about: "Fills the search columns of messages that were sent before search existed.",
  processes: ["worker"],
  every: "1m",
  leader: "one",
  bound: { batch: 250, batches: Number.POSITIVE_INFINITY, of: "messages" },
  deadline: "1h",
});
