import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { silentLogger } from "@carillon/kit";
import { expect } from "chai";

import { prepareRedis } from "./redis.ts";

/** Answers every command as a Redis of this version. */
async function redisOf(version: string) {
  const text = `redis_version:${version}\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\nloading:0\r\n`;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (sent) => {
      const commands = sent.toString().match(/^\*\d+/gm)?.length ?? 0;
      for (let i = 0; i < commands; i++) socket.write(`$${text.length}\r\n${text}\r\n`);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `redis://127.0.0.1:${port}`, close: () => server.close() };
}

describe("prepareRedis", () => {
  for (const [version, taken] of [
    ["5.0.14", false],
    ["6.0.16", false],
    ["6.2.0", true],
    ["7.2.4", true],
    ["10.0.0", true],
  ] as const)
    it(`${taken ? "accepts" : "refuses"} version ${version}`, async () => {
      const redis = await redisOf(version);
      try {
        const refusal = await prepareRedis(redis.url, silentLogger).then(
          () => undefined,
          (error: Error) => error.message,
        );
        expect(refusal).to.equal(
          taken ? undefined : `REDIS_URL: this is Redis ${version}; Carillon requires 6.2 or later`,
        );
      } finally {
        redis.close();
      }
    });
});
