import type { Snapshot } from "@carillon/client";
import type { Area } from "./events.ts";

/** Differences up to this are ignored, because the transport of the answer may have caused them. */
const smallMs = 5_000;

/** The server's time: messages are due by it, however wrong the clock of this machine is. */
export class ServerClock implements Area {
  #aheadMs = 0;

  load(snapshot: Snapshot): void {
    this.sync(snapshot["server_timestamp"]);
  }

  /** Compares the server's time with this machine's clock, which may have been changed since the last comparison. */
  sync(seconds: unknown): void {
    if (typeof seconds !== "number") return;
    const aheadMs = seconds * 1_000 - Date.now();
    this.#aheadMs = Math.abs(aheadMs) < smallMs ? 0 : aheadMs;
  }

  apply(): void {
    // Events carry no time of the server.
  }

  /** Returns seconds since the epoch. */
  now(): number {
    return Math.floor((Date.now() + this.#aheadMs) / 1_000);
  }
}
