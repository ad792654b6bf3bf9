const LOUD = ["log", "info", "debug", "warn", "error"] as const;
const nothing = (): void => {};

/** Does work of a library that writes to the console, without its words: they quote people's messages. */
export function quietly<Result>(work: () => Result): Result {
  const own = LOUD.map((name) => [name, console[name]] as const);
  for (const name of LOUD) console[name] = nothing;
  try {
    return work();
  } finally {
    for (const [name, write] of own) console[name] = write;
  }
}
