import type { LogRow } from "./log.ts";
import type { LoggedEvent } from "./queue-options.ts";

export interface MemoryLimits {
  readonly events: number;
  /** Approximate bytes. */
  readonly weight: number;
}

/**
 * The newest events of all organizations of a gateway, in memory, where polls look first. When it is full, it evicts
 * the oldest event of the organization with the most events.
 */
export class EventMemory {
  readonly #limits: MemoryLimits;
  readonly #kept = new Set<RecentEvents>();
  #events = 0;
  #weight = 0;

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
  }

  /** Starts an empty list for one organization; its first event will be number `floor + 1`. */
  open(floor: number): RecentEvents {
    const recent = new RecentEvents(floor);
    this.#kept.add(recent);
    return recent;
  }

  /** Drops an organization's events; the next one will be number `floor + 1`. */
  reset(recent: RecentEvents, floor: number): void {
    for (const { weight } of recent.clear(floor)) this.#subtract(weight);
  }

  close(recent: RecentEvents): void {
    this.reset(recent, recent.head);
    this.#kept.delete(recent);
  }

  /** Appends rows, which must follow the newest one without a gap. */
  append(recent: RecentEvents, rows: readonly LogRow[]): void {
    for (const row of rows) {
      recent.push(row);
      this.#events++;
      this.#weight += row.weight;
    }
    while (this.#events > this.#limits.events || this.#weight > this.#limits.weight) {
      const dropped = this.#longest()?.shift();
      if (!dropped) return;
      this.#subtract(dropped.weight);
    }
  }

  get events(): number {
    return this.#events;
  }

  get weight(): number {
    return this.#weight;
  }

  /** Returns the organization with the most events, from which the next event is evicted. */
  #longest(): RecentEvents | undefined {
    let longest: RecentEvents | undefined;
    for (const recent of this.#kept)
      if (!longest || recent.length > longest.length) longest = recent;
    return longest;
  }

  #subtract(weight: number): void {
    this.#events--;
    this.#weight -= weight;
  }
}

/** The newest events of one organization, without a gap. */
export class RecentEvents {
  #rows: LogRow[] = [];
  /** Rows at the start of the array that are dropped already: shifting an array moves all of it. */
  #dropped = 0;
  #floor: number;

  constructor(floor: number) {
    this.#floor = floor;
  }

  /** The number of the newest event that was appended, even if it has been dropped since. */
  get head(): number {
    return this.#floor + this.length;
  }

  /** Events up to this number are not kept. */
  get floor(): number {
    return this.#floor;
  }

  get length(): number {
    return this.#rows.length - this.#dropped;
  }

  /**
   * Appends a row.
   * @throws Error when the row is not the next one
   */
  push(row: LogRow): void {
    if (row.event.seq !== this.head + 1)
      throw new Error(`event ${row.event.seq} does not follow ${this.head}`);
    this.#rows.push(row);
  }

  /** Drops the oldest row. */
  shift(): LogRow | undefined {
    const row = this.#rows[this.#dropped];
    if (!row) return undefined;
    this.#dropped++;
    this.#floor++;
    if (this.#dropped > 1_000 && this.#dropped * 2 > this.#rows.length) {
      this.#rows = this.#rows.slice(this.#dropped);
      this.#dropped = 0;
    }
    return row;
  }

  /** Drops all rows and continues after `floor`; returns the dropped rows. */
  clear(floor: number): LogRow[] {
    const rows = this.#rows.slice(this.#dropped);
    this.#rows = [];
    this.#dropped = 0;
    this.#floor = floor;
    return rows;
  }

  /** When the event was written, as `performance.now()` of this process; undefined when it is not kept. */
  loggedAt(seq: number): number | undefined {
    return seq > this.#floor
      ? this.#rows[this.#dropped + (seq - this.#floor) - 1]?.loggedAt
      : undefined;
  }

  /** Yields the events after number `seq`, which must not be below the floor. */
  *after(seq: number): Generator<LoggedEvent> {
    for (let i = this.#dropped + (seq - this.#floor); i < this.#rows.length; i++)
      yield this.#rows[i]!.event;
  }
}
