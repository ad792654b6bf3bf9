import { once } from "node:events";
import type { LoadAnswer, LoadRequest } from "../peers/load.ts";
import { startChild } from "./child.ts";
import { scheduleRequest, sendRequest } from "./requests.ts";
import type { World } from "./world.ts";

/** Number of different requests; each connection repeats them in order. */
const different = 2_000;

/**
 * The kind of request: scheduling messages over the next hour with 32 requests in flight, or sending them with 8 in
 * flight.
 */
export type LoadKind = "schedule" | "send";

const connections = { schedule: 32, send: 8 };

export interface Load {
  /**
   * Sends requests for a time, with `inFlight` of them in flight at all times.
   * @throws Error if a request was refused
   */
  run(port: number, seconds: number, inFlight?: number): Promise<LoadAnswer>;
  stop(): Promise<void>;
}

/** A process that sends requests. */
export interface Loader {
  /** @throws Error when a request was refused */
  run(request: LoadRequest): Promise<LoadAnswer>;
  stop(): Promise<void>;
}

/** Starts a process that sends requests; it ends with the bench. */
export async function startLoader(): Promise<Loader> {
  const child = startChild("load", "bench/peers/load.ts", { NODE_ENV: "production" });
  await child.written("load started");
  const ended = once(child.process, "exit").then(() => {
    throw new Error(`the load process ended:\n${child.output()}`);
  });
  ended.catch(() => undefined);
  return {
    async run(request) {
      child.process.send(request);
      const [answer] = (await Promise.race([once(child.process, "message"), ended])) as [
        LoadAnswer,
      ];
      if (answer.refused > 0)
        throw new Error(`${answer.refused} of ${answer.answered} requests were refused`);
      return answer;
    },
    stop: () => child.stop(),
  };
}

/** Starts a process that schedules or sends messages of all members. */
export async function startLoad(world: World, kind: LoadKind = "schedule"): Promise<Load> {
  const loader = await startLoader();
  return {
    async run(port, seconds, inFlight = connections[kind]) {
      const from = Math.ceil(Date.now() / 1_000) + 120;
      const requests = Array.from({ length: different }, (_, n) =>
        kind === "send"
          ? sendRequest(world, n)
          : scheduleRequest(world, n, from + ((n * 2_477) % 3_600)),
      );
      return loader.run({ port, seconds, connections: inFlight, requests });
    },
    stop: () => loader.stop(),
  };
}
