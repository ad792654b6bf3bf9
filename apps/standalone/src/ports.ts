import { StartupError, type Environment } from "@carillon/kit";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Where the gateway and the dashboard will listen. */
export interface Ports {
  gateway: number;
  dashboard: number;
}

/** Longer than the 10 s that a child has to end after its parent was killed. */
const patienceMs = 12_000;

/**
 * Tries both ports before anything is started; 0 becomes one that is free.
 * @param patient wait for the processes of a killed predecessor to let go
 * @throws StartupError that names PORT, DASHBOARD_PORT or HOST
 */
export async function checkPorts(env: Environment, patient: boolean): Promise<Ports> {
  if (env.PORT === env.DASHBOARD_PORT && env.PORT !== 0) {
    throw new StartupError(
      `DASHBOARD_PORT is ${env.PORT}, which is PORT already: they must be different`,
    );
  }
  const deadline = Date.now() + (patient ? patienceMs : 0);
  const gateway = await claim("PORT", env.PORT, env.HOST, deadline);
  const dashboard = await claim("DASHBOARD_PORT", env.DASHBOARD_PORT, env.HOST, deadline);
  return { gateway, dashboard };
}

async function claim(name: string, port: number, host: string, deadline: number): Promise<number> {
  for (;;) {
    const tried = await listenOnce(port, host);
    if (typeof tried === "number") return tried;
    if (tried !== "EADDRINUSE" || Date.now() > deadline) throw problem(name, port, host, tried);
    await pause(100);
  }
}

function listenOnce(port: number, host: string): Promise<number | string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host }, () => {
      const address = server.address();
      const bound = typeof address === "object" && address ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}

function problem(name: string, port: number, host: string, code: string): StartupError {
  if (code === "EADDRINUSE") {
    return new StartupError(
      `${name} ${port} is taken: another program listens on ${host}:${port}; stop it, or set ${name} to a free port`,
    );
  }
  if (code === "EACCES") {
    return new StartupError(
      `${name} ${port} may not be used by this user: set ${name} to a port above 1023`,
    );
  }
  return new StartupError(
    `HOST ${host} cannot be listened on (${code}): it must be an address of this machine`,
  );
}
