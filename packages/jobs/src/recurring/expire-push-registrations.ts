import { recurring } from "../recurring.ts";

export const expirePushRegistrations = recurring({
  name: "expire-push-registrations",
  about:
    "Gives up registrations of devices for push on which the push bouncer has not decided within a day, whatever became of their jobs.",
  processes: ["worker"],
  every: "10m",
  leader: "one",
  bound: { batch: 500, batches: 100, of: "devices" },
  deadline: "1m",
});
