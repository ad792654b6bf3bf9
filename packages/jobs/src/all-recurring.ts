import { namedOnce } from "./named-once.ts";
import { channelUpkeep } from "./recurring/channel-upkeep.ts";
import { clearArchive } from "./recurring/clear-archive.ts";
import { clearEvents } from "./recurring/clear-events.ts";
import { clearIntents } from "./recurring/clear-intents.ts";
import { clearRateHits } from "./recurring/clear-rate-hits.ts";
import { countTraffic } from "./recurring/count-traffic.ts";
import { heartbeat } from "./recurring/heartbeat.ts";
import { promoteFullMembers } from "./recurring/promote-full-members.ts";
import { relay } from "./recurring/relay.ts";
import { retention } from "./recurring/retention.ts";
import { sweep } from "./recurring/sweep.ts";
import type { RecurringDefinition } from "./recurring.ts";

/** All recurring work there is. A process refuses to start unless it has exactly one task for each of its own. */
export const allRecurring: readonly RecurringDefinition[] = namedOnce("recurring work", [
  relay,
  sweep,
  clearEvents,
  clearIntents,
  clearRateHits,
  promoteFullMembers,
  retention,
  clearArchive,
  countTraffic,
  channelUpkeep,
  heartbeat,
]);
