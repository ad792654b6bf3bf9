import { writeSync } from "node:fs";
import { inspect } from "node:util";

import { mapToSources } from "./map-to-sources.ts";

/** Formats an unexpected error: its stack with source positions, its cause and its own fields. */
export function formatUnexpectedError(error: unknown): string {
  return mapToSources(error instanceof Error ? inspect(error) : String(error));
}

/** Ends the process with exit code 1 on an uncaught error, as Node does, but prints positions in the sources. */
export function reportUncaught(): void {
  process.once("uncaughtException", (error) => {
    writeSync(process.stderr.fd, `${formatUnexpectedError(error)}\n`);
    process.exit(1);
  });
}
