import type { presenceChanged } from "@carillon/contract";

import { legacyPresence } from "../presence/presence.ts";
import type { Format } from "./delivery.ts";

/** `presence`: the two times, or for older clients one state and its time, named by e-mail address too unless slim. */
export const formatPresence: Format<typeof presenceChanged> = (delivery) => {
  const { user_id, email, server_timestamp, active_timestamp, idle_timestamp } = delivery.fields;
  if (delivery.has("simplified_presence_events"))
    return [delivery.tell({ presences: { [user_id]: { active_timestamp, idle_timestamp } } })];
  const { website } = legacyPresence({ active: active_timestamp, idle: idle_timestamp });
  return [
    delivery.tellOlder("simplified_presence_events", {
      user_id,
      ...(delivery.queue.options.slimPresence ? {} : { email }),
      server_timestamp,
      presence: { website },
    }),
  ];
};
