import type { Snapshot } from "@carillon/client";
import { Keyed } from "./keyed.ts";
import type { Area, OrganizationEvent } from "./events.ts";

/** When a person was last active and last connected, in seconds since the epoch. */
interface Times {
  readonly active_timestamp: number;
  readonly idle_timestamp: number;
}

export type PresenceState = "active" | "idle" | "offline";

/** Seconds without a presence report after which a person counts as offline. */
const offlineAfter = 140;

/** The presence of people, by the server's clock: this machine's may be wrong by a day. */
export class Presence implements Area {
  readonly #times = new Keyed<number, Times>();
  /** Seconds that the server's clock is ahead of this one. */
  #ahead = 0;

  load(snapshot: Snapshot): void {
    this.#times.replace([]);
    this.add((snapshot["presences"] ?? {}) as Record<string, Times>, snapshot["server_timestamp"]);
  }

  apply(event: OrganizationEvent): void {
    if (event.type === "presence") this.add(event.presences);
  }

  of(id: number): PresenceState {
    const times = this.#times.get(id);
    const since = Date.now() / 1_000 + this.#ahead - offlineAfter;
    if (!times) return "offline";
    if (times.active_timestamp > since) return "active";
    return times.idle_timestamp > since ? "idle" : "offline";
  }

  /** @param now the server's time, if the answer has it */
  add(presences: Readonly<Record<string, unknown>>, now?: unknown): void {
    if (typeof now === "number") this.#ahead = now - Date.now() / 1_000;
    for (const [id, times] of Object.entries(presences))
      this.#times.set(Number(id), times as Times);
  }
}
