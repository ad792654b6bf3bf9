import { recurring } from "../recurring.ts";

export const expirePushRegistrations = recurring({
  name: "expire-push-registrations",
  about:
    "Expires device registrations that the push bouncer has not decided within a day, whatever the state of their jobs.",
  processes: ["worker"],
  every: "10m",
  leader: "one",
  bound: { batch: 500, batches: 100, of: "devices" },
  deadline: "1m",
});
