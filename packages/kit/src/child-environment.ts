import type { Environment } from "./environment.ts";

/**
 * The variables of a child process: ours, with `changes` over them. An undefined one is taken away, and so is
 * the name of a file from which one that is changed would be read.
 */
export function childEnvironment(
  changes: Partial<Record<keyof Environment, string | undefined>>,
): Record<string, string | undefined> {
  const changed = Object.keys(changes);
  // The address that is given has its password.
  if ("DATABASE_URL" in changes) changed.push("DATABASE_PASSWORD");
  const replaced = changed.flatMap((name) => [name, `${name}_FILE`]);
  const left = Object.entries(process.env).filter(([name]) => !replaced.includes(name));
  return { ...Object.fromEntries(left), ...changes };
}
