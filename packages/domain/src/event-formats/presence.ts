import type { presenceChanged } from "@carillon/contract";

import { legacyPresence } from "../presence/presence.ts";
import type { Format } from "./outgoing-event.ts";

/** `presence`: the two times, or for older clients one state and its time, named by e-mail address too unless slim. */
export const formatPresence: Format<typeof presenceChanged> = (outgoing) => {
  const { user_id, email, server_timestamp, active_timestamp, idle_timestamp } = outgoing.fields;
  if (outgoing.has("simplified_presence_events"))
    return [outgoing.tell({ presences: { [user_id]: { active_timestamp, idle_timestamp } } })];
  const { website } = legacyPresence({ active: active_timestamp, idle: idle_timestamp });
  return [
    outgoing.tellOlder("simplified_presence_events", {
      user_id,
      ...(outgoing.queue.options.slimPresence ? {} : { email }),
      server_timestamp,
      presence: { website },
    }),
  ];
};
