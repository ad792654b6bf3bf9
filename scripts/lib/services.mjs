/**
 * Returns the arguments of `runAttached` that run `command` with its own PostgreSQL server and, if installed, Redis server.
 * @param {"test" | "bench"} purpose
 * @param {string[]} command
 * @returns {[string, string[]]}
 */
export function withServices(purpose, command) {
  return [
    process.execPath,
    ["--conditions=source", "--import=tsx", "scripts/lib/with-services.mjs", purpose, ...command],
  ];
}
