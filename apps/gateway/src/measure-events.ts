import type { EventHub } from "@carillon/events";
import { gauge, type Registry } from "@carillon/kit";

/** `carillon_polls_open`, `carillon_event_ring_events` and `carillon_event_ring_bytes`. */
export function measureEvents(
  registry: Registry,
  events: Pick<EventHub<unknown>, "counters">,
): void {
  gauge(registry, {
    name: "carillon_polls_open",
    help: "Polls for events that are open",
    collect() {
      this.set(events.counters.polls);
    },
  });
  gauge(registry, {
    name: "carillon_event_ring_events",
    help: "Newest events that are kept in memory",
    collect() {
      this.set(events.counters.events);
    },
  });
  gauge(registry, {
    name: "carillon_event_ring_bytes",
    help: "Memory that they take, roughly",
    collect() {
      this.set(events.counters.bytes);
    },
  });
}
