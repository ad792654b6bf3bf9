import { StartupError, type Environment } from "@carillon/kit";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Ports } from "./ports.ts";

/** One of the apps that the standalone runs. */
export interface App {
  name: "gateway" | "worker" | "dashboard";
  script: string;
  /** The port whose `/health` tells that it serves; undefined: running is all that is asked. */
  healthPort: number | undefined;
  /** Variables of this app alone. */
  env: Partial<Record<keyof Environment, string>>;
}

/** The apps to run: built ones beside a built standalone, sources beside sources. */
export function chooseApps(env: Environment, ports: Ports): App[] {
  return [
    app("gateway", ports.gateway, metricsPort(env, 0)),
    app("worker", undefined, metricsPort(env, 1)),
    app("dashboard", ports.dashboard, {}),
  ];
}

function app(name: App["name"], healthPort: number | undefined, env: App["env"]): App {
  const entry = import.meta.url.endsWith(".ts") ? "src/main.ts" : "dist/main.js";
  const script = fileURLToPath(new URL(`../../${name}/${entry}`, import.meta.url));
  return { name, script, healthPort, env };
}

/** Two processes cannot share one port: the gateway gets METRICS_PORT, the worker the next. */
function metricsPort(env: Environment, offset: number): App["env"] {
  if (env.METRICS_PORT === undefined || env.METRICS_PORT === 0) return {};
  return { METRICS_PORT: String(env.METRICS_PORT + offset) };
}

/** @throws StartupError when an app's program is not there */
export function checkApps(apps: readonly App[]): void {
  for (const { name, script } of apps) {
    if (!existsSync(script)) {
      throw new StartupError(
        `apps/${name} is not built (${script} is missing): run \`npm run build\``,
      );
    }
  }
}
