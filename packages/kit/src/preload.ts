import type { ChildProcess } from "node:child_process";

/** Set in a child process that starts before the database it needs is ready. */
const preloadVariable = "CARILLON_PRELOADED";

interface Release {
  readonly variables: Readonly<Record<string, string | null>>;
}

/** Returns the environment of a child that loads its code and then waits for `releasePreloaded`. */
export function preloadEnvironment(): Record<string, string | undefined> {
  return { ...process.env, [preloadVariable]: "true" };
}

/**
 * Releases a waiting child.
 * @param variables its environment from now on
 */
export function releasePreloaded(
  child: ChildProcess,
  variables: Readonly<Record<string, string | undefined>>,
): void {
  const entries = Object.entries(variables).map(([name, value]) => [name, value ?? null]);
  const release: Release = { variables: Object.fromEntries(entries) };
  // Sending fails if the child has ended. Its exit event reports that, so the error is ignored.
  child.send(release, () => {});
}

/**
 * Waits, in a child started with `preloadEnvironment`, until the parent releases it and its variables are set. Call it
 * after the code is loaded and before any variable is read. Ends the process when the parent is gone.
 */
export async function whenReleased(): Promise<void> {
  if (process.env[preloadVariable] === undefined || !process.channel) return;
  const orphaned = () => process.exit(0);
  process.once("disconnect", orphaned);
  const { variables } = await new Promise<Release>((resolve) => {
    const receive = (message: unknown) => {
      if (!isRelease(message)) return;
      process.off("message", receive);
      resolve(message);
    };
    process.on("message", receive);
  });
  process.off("disconnect", orphaned);
  delete process.env[preloadVariable];
  for (const [name, value] of Object.entries(variables)) {
    if (value === null) delete process.env[name];
    else process.env[name] = value;
  }
}

function isRelease(message: unknown): message is Release {
  return typeof message === "object" && message !== null && "variables" in message;
}
