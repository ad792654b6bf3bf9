import { createServer } from "node:net";

/** A port of 127.0.0.1 that is free now: `wanted` when that is, else one that the system picks. */
export async function freePort(wanted = 0): Promise<number> {
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? 0;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen({ port, host: "127.0.0.1" }, () => {
      const address = server.address();
      const taken = typeof address === "object" && address ? address.port : undefined;
      server.close(() => resolve(taken));
    });
  });
}
