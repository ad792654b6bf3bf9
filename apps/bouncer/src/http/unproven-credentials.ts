import { hash } from "node:crypto";
import { networkOf, SlidingWindow, type Clock } from "@carillon/kit";
import { refusals } from "./refusal.ts";

/** Lookups of unproven credentials allowed from one network. */
const rule = { seconds: 60, requests: 30 };

/** Maximum number of networks and of credentials kept in memory; the oldest is evicted. */
const maxRemembered = 10_000;

/**
 * Limits how often one network can make the bouncer look up credentials. Credentials that this process has proven before do
 * not count, so that servers behind one address do not lock each other out.
 */
export class UnprovenCredentials {
  readonly #clock: Clock;
  readonly #networks = new Map<string, SlidingWindow>();
  readonly #proven = new Map<string, true>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a lookup before it begins, so that concurrent ones count too.
   * @param header the `Authorization` header
   * @throws Refusal with status 429
   */
  admit(address: string, header: string): void {
    if (this.#proven.has(digestOf(header))) return;
    const network = networkOf(address);
    const now = this.#clock.now();
    const window = this.#networks.get(network) ?? new SlidingWindow(rule);
    const { blockedMs } = window.state(now);
    if (blockedMs > 0) throw refusals.tooManyUnproven(blockedMs);
    window.add(window.sliceAt(now), 1);
    remember(this.#networks, network, window);
  }

  /** Records correct credentials. */
  prove(header: string): void {
    remember(this.#proven, digestOf(header), true);
  }

  /** Records wrong credentials, also ones that were correct before: a server may have been removed. */
  disprove(header: string): void {
    this.#proven.delete(digestOf(header));
  }
}

/** Hashes the header, so that keys are not kept in memory. */
function digestOf(header: string): string {
  return hash("sha256", header, "base64");
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= maxRemembered) return;
  const [oldest = ""] = map.keys();
  map.delete(oldest);
}
