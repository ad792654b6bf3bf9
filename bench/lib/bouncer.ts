import { once } from "node:events";
import type { BouncerAnswer, BouncerRequest } from "../peers/bouncer.ts";
import type { PushingRequest } from "../peers/pushing.ts";
import { startChild } from "./child.ts";

/** A bouncer that reads and discards notifications. */
export interface BenchBouncer {
  /** Environment variables of a process that uses this bouncer. */
  readonly variables: Readonly<Record<string, string>>;
  /** Counts notifications from now on. @returns when the expected number had arrived, in UNIX seconds */
  received(expected: number): Promise<number>;
  stop(): Promise<void>;
}

export async function startBouncer(): Promise<BenchBouncer> {
  const child = startChild("peer-bouncer", "bench/peers/bouncer.ts", { NODE_ENV: "production" });
  await child.written("peer started on");
  const port = Number(/peer started on (\d+)/.exec(child.output())?.[1]);
  return {
    variables: {
      PUSH_BOUNCER_URL: `http://127.0.0.1:${port}`,
      PUSH_SERVER_ID: "6cde5f7a-1f7e-4978-9716-49f69ebfc9fe",
      PUSH_SERVER_KEY: "bench",
    },
    async received(expected) {
      const request: BouncerRequest = { expected };
      const answer = once(child.process, "message") as Promise<[BouncerAnswer]>;
      child.process.send(request);
      return (await answer)[0].at / 1_000;
    },
    stop: () => child.stop(),
  };
}

/** A process that runs a minimal loop, which encrypts notifications and posts them. */
export interface BarePushing {
  /** @returns seconds */
  run(request: PushingRequest): Promise<number>;
  stop(): Promise<void>;
}

export async function startBarePushing(bouncer: BenchBouncer): Promise<BarePushing> {
  const child = startChild("peer-pushing", "bench/peers/pushing.ts", {
    NODE_ENV: "production",
    BOUNCER_URL: bouncer.variables["PUSH_BOUNCER_URL"],
  });
  await child.written("peer started");
  return {
    async run(request) {
      const startedAt = performance.now();
      const done = once(child.process, "message");
      child.process.send(request);
      await done;
      return (performance.now() - startedAt) / 1_000;
    },
    stop: () => child.stop(),
  };
}
