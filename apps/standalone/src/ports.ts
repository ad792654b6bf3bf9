import { StartupError, type Environment } from "@carillon/kit";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Ports of the apps. */
export interface Ports {
  gateway: number;
  dashboard: number;
  /** Undefined without an embedded bouncer. */
  bouncer?: number;
}

/** The address of the embedded bouncer, whatever `HOST` is. */
export const bouncerHost = "127.0.0.1";

/** Longer than the 10 s in which a child ends after its parent was killed. */
const releaseMs = 12_000;

/**
 * Checks the ports before anything starts; replaces 0 by a free port.
 * @param waitForRelease whether to wait until the processes of a killed predecessor have released them
 * @throws StartupError naming the variable of the port, or HOST
 */
export async function checkPorts(env: Environment, waitForRelease: boolean): Promise<Ports> {
  const wanted: Array<["PORT" | "DASHBOARD_PORT" | "BOUNCER_PORT", string]> = [
    ["PORT", env.HOST],
    ["DASHBOARD_PORT", env.HOST],
  ];
  if (env.PUSH_BOUNCER === "embedded") wanted.push(["BOUNCER_PORT", bouncerHost]);
  const deadline = Date.now() + (waitForRelease ? releaseMs : 0);
  wanted.forEach(([name], at) => {
    const same = wanted.slice(0, at).find(([other]) => env[other] === env[name]);
    if (same && env[name] !== 0)
      throw new StartupError(
        `${name} and ${same[0]} are both ${env[name]}: they must be different`,
      );
  });
  const ports: number[] = [];
  for (const [name, host] of wanted) ports.push(await claim(name, env[name], host, deadline));
  const [gateway = 0, dashboard = 0, bouncer] = ports;
  return { gateway, dashboard, ...(bouncer !== undefined && { bouncer }) };
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
