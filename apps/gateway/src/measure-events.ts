import type { EventHub } from "@carillon/events";
import { gauge, type Registry } from "@carillon/kit";

/** Measures `carillon_polls_open`, `carillon_event_ring_events` and `carillon_event_ring_bytes`. */
export function measureEvents(
  registry: Registry,
  events: Pick<EventHub<unknown>, "counters">,
): void {
  // Counted when the metrics are scraped.
  gauge(registry, "carillon_polls_open", (polls) => polls.set(events.counters.polls));
  gauge(registry, "carillon_event_ring_events", (kept) => kept.set(events.counters.events));
  gauge(registry, "carillon_event_ring_bytes", (bytes) => bytes.set(events.counters.bytes));
}
