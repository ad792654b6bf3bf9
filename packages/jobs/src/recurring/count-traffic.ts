import { recurring } from "../recurring.ts";

export const countTraffic = recurring({
  name: "count-traffic",
  about: "Counts the messages sent to each channel per day, every message once.",
  processes: ["worker"],
  every: "10m",
  leader: "one",
  bound: { batch: 50_000, batches: 200, of: "messages" },
  deadline: "10m",
});
