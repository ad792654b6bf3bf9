import { offlineThreshold } from "../presence/presence.ts";

/** How often clients are to do things, and how long they are to wait (events.md §1.3). */
export const serverTimings = {
  /** Seconds; longer than the time between two heartbeats. */
  event_queue_longpoll_timeout_seconds: 90,
  server_presence_ping_interval_seconds: 60,
  server_presence_offline_threshold_seconds: offlineThreshold,
  server_typing_started_expiry_period_milliseconds: 15_000,
  server_typing_stopped_wait_period_milliseconds: 5_000,
  server_typing_started_wait_period_milliseconds: 10_000,
} as const;
