import type { Environment } from "./environment.ts";

/** What configures something that this version does not have, and what happens in place of it. */
const unbuilt: Partial<Record<keyof Environment, string>> = {
  PUSH_BOUNCER: "no push notifications are sent, and clients are told so",
};

/** One line for each variable that is set for something that is not built yet, to be told at the start. */
export function unbuiltVariables(env: Environment): string[] {
  return Object.entries(unbuilt).flatMap(([name, instead]) =>
    env[name as keyof Environment] === undefined
      ? []
      : [`${name} is set, and this version does not use it yet: ${instead}`],
  );
}
