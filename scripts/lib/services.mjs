/**
 * The arguments of `attend` that run `command` with a PostgreSQL server and, where it is installed, a Redis
 * server of its own.
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
