import { networkOf, SlidingWindow, type Clock } from "@carillon/kit";

/** Limit of wrong credentials from one network. */
const fromOne = { seconds: 60, requests: 10 };
/** Limit of wrong credentials from all networks together. Networks that have sent correct credentials are exempt. */
const fromAll = { seconds: 60, requests: 100 };
/** Maximum number of networks kept in memory; the oldest is evicted. */
const maxNetworks = 10_000;

/** Limits guessing of the dashboard's credentials, from one network and from many. */
export class WrongCredentials {
  readonly #clock: Clock;
  readonly #all = new SlidingWindow(fromAll);
  readonly #byNetwork = new Map<string, SlidingWindow>();
  readonly #proven = new Map<string, true>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until the network may try again; 0 if it may now. */
  blockedMs(address: string): number {
    const now = this.#clock.now();
    const network = networkOf(address);
    const own = this.#byNetwork.get(network)?.state(now).blockedMs ?? 0;
    return this.#proven.has(network) ? own : Math.max(own, this.#all.state(now).blockedMs);
  }

  count(address: string): void {
    const now = this.#clock.now();
    const network = networkOf(address);
    const window = this.#byNetwork.get(network) ?? new SlidingWindow(fromOne);
    for (const counted of [window, this.#all]) counted.add(counted.sliceAt(now), 1);
    remember(this.#byNetwork, network, window);
  }

  /** Records correct credentials from a network. */
  proven(address: string): void {
    remember(this.#proven, networkOf(address), true);
  }
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= maxNetworks) return;
  const [oldest = ""] = map.keys();
  map.delete(oldest);
}
