import type { ChildProcess } from "node:child_process";

/** Set in a child that is started before what it needs is there. */
const mark = "CARILLON_HELD";

interface Release {
  readonly variables: Readonly<Record<string, string | null>>;
}

/** The variables of a child that loads its code and then waits for `releaseHeld`. */
export function heldEnvironment(): Record<string, string | undefined> {
  return { ...process.env, [mark]: "true" };
}

/** Lets a held child go on. @param variables all that it has from now on */
export function releaseHeld(
  child: ChildProcess,
  variables: Readonly<Record<string, string | undefined>>,
): void {
  const entries = Object.entries(variables).map(([name, value]) => [name, value ?? null]);
  const release: Release = { variables: Object.fromEntries(entries) };
  // One that is gone has been heard of already.
  child.send(release, () => {});
}

/**
 * In a process that its parent holds: resolves when it is let go, with its variables set. Called when the code is loaded,
 * and before any variable is read. Ends the process when the parent is gone.
 */
export async function whenReleased(): Promise<void> {
  if (process.env[mark] === undefined || !process.channel) return;
  const orphaned = () => process.exit(0);
  process.once("disconnect", orphaned);
  const { variables } = await new Promise<Release>((resolve) => {
    const hear = (message: unknown) => {
      if (!isRelease(message)) return;
      process.off("message", hear);
      resolve(message);
    };
    process.on("message", hear);
  });
  process.off("disconnect", orphaned);
  delete process.env[mark];
  for (const [name, value] of Object.entries(variables)) {
    if (value === null) delete process.env[name];
    else process.env[name] = value;
  }
}

function isRelease(message: unknown): message is Release {
  return typeof message === "object" && message !== null && "variables" in message;
}
