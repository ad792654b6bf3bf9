import { recurring } from "../recurring.ts";

export const missedMessages = recurring({
  name: "missed-messages",
  about:
    "Follows the event log to find people who may miss new messages, and records a mail for each whose batching period is over.",
  processes: ["worker"],
  every: "3s",
  leader: "one",
  bound: {
    batch: 5_000,
    batches: 100,
    of: "events of each organization, then a tenth as many accounts",
  },
  deadline: "2m",
});
