import type { Environment } from "./environment.ts";

/**
 * The variables of a child process: ours, with `changes` over them. An undefined one is taken away.
 */
export function childEnvironment(
  changes: Partial<Record<keyof Environment, string | undefined>>,
): Record<string, string | undefined> {
  return { ...process.env, ...changes };
}
