import type { Environment } from "./environment.ts";
import { wantedThreads } from "./thread-pool.ts";

/**
 * Returns the environment of a child process: this process's variables with `changes`. An undefined change removes
 * the variable. The `_FILE` variant of each changed variable is removed too. Sets the number of threads for files unless
 * this process has it.
 */
export function childEnvironment(
  changes: Partial<Record<keyof Environment, string | undefined>>,
): Record<string, string | undefined> {
  const changed = Object.keys(changes);
  // The new addresses contain their password; `readEnvironment` refuses a second one.
  if ("DATABASE_URL" in changes) changed.push("DATABASE_PASSWORD");
  const replaced = changed.flatMap((name) => [name, `${name}_FILE`]);
  const kept = Object.entries(process.env).filter(([name]) => !replaced.includes(name));
  return { UV_THREADPOOL_SIZE: String(wantedThreads), ...Object.fromEntries(kept), ...changes };
}
