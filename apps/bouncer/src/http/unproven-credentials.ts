import { hash } from "node:crypto";
import { networkOf, SlidingWindow, type Clock } from "@carillon/kit";
import { refusals } from "./refusal.ts";

/** Look-ups of credentials that have not been right before, from one network. */
const rule = { seconds: 60, requests: 30 };

/** Networks, and credentials, that are remembered; the oldest goes first. */
const mostRemembered = 10_000;

/**
 * Limits how often one network has the bouncer look up credentials in its database. Credentials that were right before in
 * this process are not counted: servers behind one address do not lock each other out.
 */
export class UnprovenCredentials {
  readonly #clock: Clock;
  readonly #networks = new Map<string, SlidingWindow>();
  readonly #proven = new Map<string, true>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a look-up, before it begins: of many at once all count.
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

  /** Notes that the credentials were right. */
  prove(header: string): void {
    remember(this.#proven, digestOf(header), true);
  }

  /** Notes that the credentials are wrong, also when they were right before: a server may have been removed. */
  disprove(header: string): void {
    this.#proven.delete(digestOf(header));
  }
}

/** The key itself is not kept. */
function digestOf(header: string): string {
  return hash("sha256", header, "base64");
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= mostRemembered) return;
  const [oldest = ""] = map.keys();
  map.delete(oldest);
}
