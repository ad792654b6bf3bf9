import type { Sql } from "@carillon/db";
import { countCall } from "../store/rate.ts";
import type { Server } from "../store/servers.ts";
import { refusals } from "./refusal.ts";

/** Maximum number of servers kept in memory; others are looked up in the database. */
const maxServers = 10_000;

/** Limits the rate of each server. Refuses a server that must wait without asking the database again. */
export class Limiter {
  readonly #waiting = new Map<string, number>();

  /**
   * Counts a call towards the server's rate limit, if it has one.
   * @throws Refusal with status 429 once the limit is reached
   */
  async admit(sql: Sql, { id, rateLimit }: Server): Promise<void> {
    if (rateLimit === null) return;
    const left = (this.#waiting.get(id) ?? 0) - performance.now();
    const waitMs = left > 0 ? left : await countCall(sql, id, rateLimit);
    if (waitMs === 0) return;
    if (this.#waiting.size >= maxServers) this.#waiting.clear();
    this.#waiting.set(id, performance.now() + waitMs);
    throw refusals.tooMany(waitMs);
  }
}
