import { once } from "node:events";
import { startChild } from "../lib/child.ts";
import { credentials } from "../lib/requests.ts";
import type { Member } from "../lib/world.ts";
import type { Waits, WatchRequest } from "../peers/watcher.ts";

/** A client in a separate process that requests its account and an unknown path every 20 ms. */
export interface Watcher {
  /** Returns the longest waits since the last call. */
  read(): Promise<Waits>;
  stop(): Promise<void>;
}

/** Starts the client, which exits with the bench. @param idlePort port of an idle server, for comparison */
export async function startWatcher(
  port: number,
  member: Member,
  idlePort?: number,
): Promise<Watcher> {
  const child = startChild("watcher", "bench/peers/watcher.ts", { NODE_ENV: "production" });
  await child.written("watcher started");
  const wanted: WatchRequest = {
    port,
    ...(idlePort !== undefined && { idlePort }),
    authorization: credentials(member),
  };
  child.process.send(wanted);
  return {
    async read() {
      const answer = once(child.process, "message");
      child.process.send("read");
      return ((await answer) as [Waits])[0];
    },
    stop: () => child.stop(),
  };
}
