import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below what systems lend to outgoing connections (from 32768 on Linux, 49152 elsewhere): free stays free. */
const lowest = 20_000;
const highest = 32_767;
const attempts = 50;

/** A port of 127.0.0.1 that is free now: `wanted` when that is, else one that no outgoing connection is given. */
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
