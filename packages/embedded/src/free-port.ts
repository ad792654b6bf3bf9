import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ephemeral ports (from 32768 on Linux, 49152 elsewhere), so that no outgoing connection takes the port. */
const lowest = 20_000;
const highest = 32_767;
const attempts = 50;

/** Returns a free port of 127.0.0.1: `wanted` if it is free, else one outside the ephemeral ports. */
export async function freePort(wanted = 0): Promise<number> {
  if (wanted !== 0 && (await canListen(wanted))) return wanted;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(lowest, highest + 1);
    if (await canListen(port)) return port;
  }
  throw new Error(`no free port among ${attempts} between ${lowest} and ${highest} of 127.0.0.1`);
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1" }, () => server.close(() => resolve(true)));
  });
}
