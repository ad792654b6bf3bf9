import { writeSync } from "node:fs";
import { inspect } from "node:util";

import { inSources } from "./in-sources.ts";

/** What is unforeseen of an error: its stack, with the places in the sources, its cause and its own fields. */
export function unforeseen(error: unknown): string {
  return inSources(error instanceof Error ? inspect(error) : String(error));
}

/**
 * Ends the process with exit code 1 at an error that nothing caught, as Node does, and names the places in the sources
 * instead of those in the bundle.
 */
export function reportUncaught(): void {
  process.once("uncaughtException", (error) => {
    writeSync(process.stderr.fd, `${unforeseen(error)}\n`);
    process.exit(1);
  });
}
