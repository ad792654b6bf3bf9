import { once } from "node:events";
import type { PeerAnswer, PeerRequest } from "../peers/serve.ts";
import { startChild } from "./child.ts";
import type { BenchDatabase } from "./servers.ts";

export interface Peer {
  run(count: number): Promise<PeerAnswer>;
  stop(): Promise<void>;
}

const content =
  "Reminder: the numbers of the last quarter are in the shared folder now, see you at 10:30.";

/** Starts a peer, a program to compare with, in a separate process on the same PostgreSQL and Redis. */
export async function startPeer(
  file: string,
  { url, redisUrl }: BenchDatabase,
  env: Readonly<Record<string, string>> = {},
): Promise<Peer> {
  const child = startChild(`peer-${file}`, `bench/peers/${file}.ts`, {
    DATABASE_URL: url,
    REDIS_URL: redisUrl,
    NODE_ENV: "production",
    ...env,
  });
  await child.written("peer started");
  return {
    async run(count) {
      const request: PeerRequest = { count, content };
      child.process.send(request);
      const ended = once(child.process, "exit").then(() => {
        throw new Error(`the peer ended:\n${child.output()}`);
      });
      const [answer] = (await Promise.race([once(child.process, "message"), ended])) as [
        PeerAnswer,
      ];
      return answer;
    },
    stop: () => child.stop(),
  };
}
