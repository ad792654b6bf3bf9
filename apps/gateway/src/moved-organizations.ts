import type { Sql } from "@carillon/db";
import { movedOrganizations } from "@carillon/domain";
import { type Logger, systemClock } from "@carillon/kit";

/** Milliseconds after which the addresses are read again. */
const keptMs = 10_000;

/** Returns the new address of the organization with this host name; undefined if it has not moved. */
export type MovedTo = (host: string) => string | undefined;

/**
 * Returns a function that finds the new address of an organization that has moved. It reads the addresses again at a request
 * that comes ten seconds after the last reading. The request does not wait, so a new redirect takes effect after some seconds.
 * @param url the address of the installation
 */
export function movedTo(sql: Sql, log: Logger, url: string): MovedTo {
  const { hostname } = new URL(url);
  let moved: ReadonlyMap<string, string> = new Map();
  let readAt = systemClock.now();
  const read = async () => {
    try {
      moved = await movedOrganizations(sql);
    } catch (error) {
      log.warn({ err: error }, "addresses of moved organizations were not read");
    }
  };
  // Outside of any request, so that none has the statement in its trace.
  void read();
  return (host) => {
    const now = systemClock.now();
    if (now - readAt >= keptMs) {
      readAt = now;
      void read();
    }
    if (moved.size === 0) return undefined;
    const name = host.toLowerCase();
    return moved.get(name === hostname ? "" : (name.split(".")[0] ?? ""));
  };
}
