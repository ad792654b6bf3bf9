import { setTimeout as pause } from "node:timers/promises";
import { clientOf } from "@carillon/testkit";
import type { Scene } from "./attack.ts";

/** A client of another organization that reads and writes continuously. */
export interface Bystander {
  /** Milliseconds that each answer took since the last call. */
  takeTimes(): number[];
  /** Answers other than success, in order. */
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

/** Milliseconds between two requests. */
const breathMs = 20;

/** Starts a client that alternates between reading its own account and sending messages, one request at a time. */
export function startBystander({
  url,
  bystander,
  bystanderRoom,
}: Pick<Scene, "url"> & {
  readonly bystander: Pick<Scene["bystander"], "email" | "deliveryEmail" | "apiKey">;
  readonly bystanderRoom: Pick<Scene["bystanderRoom"], "id">;
}): Bystander {
  const client = clientOf(url, bystander);
  const failures: string[] = [];
  let times: number[] = [];
  let over = false;
  const asking = (async () => {
    for (let n = 0; !over; n++) {
      const began = performance.now();
      try {
        const { status, text } =
          n % 2 === 0
            ? await client.get("/api/v1/users/me")
            : await client.post("/api/v1/messages", {
                type: "channel",
                to: bystanderRoom.id,
                topic: "all is well",
                content: `number ${n}`,
              });
        if (status !== 200) failures.push(`${status} ${text}`);
      } catch (error) {
        failures.push(String((error as Error).cause ?? error));
      }
      times.push(performance.now() - began);
      await pause(breathMs);
    }
  })();
  return {
    failures,
    takeTimes() {
      const taken = times;
      times = [];
      return taken;
    },
    async stop() {
      over = true;
      await asking;
    },
  };
}

/** Returns the 95th percentile of the times, in milliseconds. */
export function p95(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(0.95 * sorted.length) - 1)] ?? Number.NaN;
}
