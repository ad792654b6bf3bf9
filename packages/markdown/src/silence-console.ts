const LOUD = ["log", "info", "debug", "warn", "error"] as const;
const nothing = (): void => {};

/** Runs `work` with the console silenced, so that a library does not log users' messages. */
export function silenceConsole<Result>(work: () => Result): Result {
  const own = LOUD.map((name) => [name, console[name]] as const);
  for (const name of LOUD) console[name] = nothing;
  try {
    return work();
  } finally {
    for (const [name, write] of own) console[name] = write;
  }
}
