import type { Server } from "node:http";

import { StartupError } from "./startup-error.ts";

/**
 * Starts listening and resolves with the port.
 * @param variable the variable that names the port, for the error
 * @throws StartupError when the port is taken or not allowed
 */
export function listen(
  server: Server,
  port: number,
  host: string,
  variable: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => {
      const why =
        error.code === "EADDRINUSE"
          ? "is taken by another process: free it or choose another port"
          : `cannot be listened on at ${host} (${error.code ?? error.message})`;
      reject(new StartupError(`${variable} ${port} ${why}`));
    };
    server.once("error", fail);
    server.listen(port, host, () => {
      server.off("error", fail);
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });
}
