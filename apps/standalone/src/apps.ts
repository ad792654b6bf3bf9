import { StartupError, type Environment } from "@carillon/kit";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bouncerHost, type Ports } from "./ports.ts";

/** One of the apps that the standalone runs. */
export interface App {
  name: "gateway" | "worker" | "dashboard" | "bouncer";
  script: string;
  /** The port of its `/health`; undefined for an app that needs no health check at the start. */
  healthPort: number | undefined;
  /** Its address; `HOST` unless given. */
  host?: string;
  /** Variables that only this app gets. */
  env: Partial<Record<keyof Environment, string>>;
}

/** The apps to run: built ones beside a built standalone, sources beside sources. */
export function chooseApps(env: Environment, ports: Ports): App[] {
  return [
    app("gateway", ports.gateway, metricsPort(env, 0)),
    app("worker", undefined, metricsPort(env, 1)),
    app("dashboard", ports.dashboard, {}),
    ...(ports.bouncer === undefined ? [] : [bouncer(env, ports.bouncer)]),
  ];
}

/** Listens on this machine only, where its one server is. */
function bouncer(env: Environment, port: number): App {
  const own = { ...metricsPort(env, 2), HOST: bouncerHost };
  return { ...app("bouncer", port, own), host: bouncerHost };
}

function app(name: App["name"], healthPort: number | undefined, env: App["env"]): App {
  return { name, script: programOf(name, "main"), healthPort, env };
}

/** Returns the path of an app's program: in `dist` beside a built standalone, in `src` beside its source. */
export function programOf(app: App["name"] | "standalone", name: string): string {
  const file = import.meta.url.endsWith(".ts") ? `src/${name}.ts` : `dist/${name}.js`;
  return fileURLToPath(new URL(`../../${app}/${file}`, import.meta.url));
}

/** Gives each process its own port: the gateway METRICS_PORT, the worker the next, a bouncer the one after that. */
function metricsPort(env: Environment, offset: number): App["env"] {
  if (env.METRICS_PORT === undefined || env.METRICS_PORT === 0) return {};
  return { METRICS_PORT: String(env.METRICS_PORT + offset) };
}

/** Throws StartupError when an app's program is missing, with the command that builds it. */
export function checkApps(apps: readonly App[]): void {
  for (const { name, script } of apps) {
    if (!existsSync(script)) {
      throw new StartupError(
        `apps/${name} is not built (${script} is missing): run \`npm run build\``,
      );
    }
  }
}
