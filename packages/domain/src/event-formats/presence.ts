import { legacyPresence } from "../presence/presence.ts";
import type { Formatter } from "./delivery.ts";

/** What the log keeps of `presence`. */
interface LoggedPresence {
  readonly user_id: number;
  readonly email: string;
  /** UNIX seconds, with a fraction. */
  readonly server_timestamp: number;
  /** UNIX seconds */
  readonly active_timestamp: number;
  readonly idle_timestamp: number;
}

/** `presence`: the two times, or for older clients one state and its time, named by e-mail address too unless slim. */
export const formatPresence: Formatter = (delivery) => {
  const { user_id, email, server_timestamp, active_timestamp, idle_timestamp } =
    delivery.fields() as unknown as LoggedPresence;
  if (delivery.has("simplified_presence_events"))
    return [delivery.with({ presences: { [user_id]: { active_timestamp, idle_timestamp } } })];
  const { website } = legacyPresence({ active: active_timestamp, idle: idle_timestamp });
  return [
    delivery.with({
      user_id,
      ...(delivery.queue.options.slimPresence ? {} : { email }),
      server_timestamp,
      presence: { website },
    }),
  ];
};
