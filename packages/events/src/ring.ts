import type { LogRow } from "./log.ts";
import type { LoggedEvent } from "./queue-options.ts";

export interface RingLimits {
  readonly events: number;
  /** Bytes, roughly. */
  readonly weight: number;
}

/**
 * The newest events of all organizations of a gateway, in memory: polls look here first. Where it is full, the
 * oldest event goes, whoever's it is.
 */
export class Rings {
  readonly #limits: RingLimits;
  readonly #rings = new Set<Ring>();
  #events = 0;
  #weight = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  /** The ring of one organization, whose first event will be the one after `floor`. */
  open(floor: number): Ring {
    const ring = new Ring(floor);
    this.#rings.add(ring);
    return ring;
  }

  /** Forgets an organization's events; the next one is the one after `floor`. */
  reset(ring: Ring, floor: number): void {
    for (const { weight } of ring.clear(floor)) this.#subtract(weight);
  }

  close(ring: Ring): void {
    this.reset(ring, ring.head);
    this.#rings.delete(ring);
  }

  /** Adds the rows that follow the ring's head. */
  append(ring: Ring, rows: readonly LogRow[]): void {
    for (const row of rows) {
      ring.push(row);
      this.#events++;
      this.#weight += row.weight;
    }
    while (this.#events > this.#limits.events || this.#weight > this.#limits.weight) {
      const dropped = this.#oldest()?.shift();
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

  /** The ring with the most events: it has the oldest, or can best spare one. */
  #oldest(): Ring | undefined {
    let longest: Ring | undefined;
    for (const ring of this.#rings) if (!longest || ring.length > longest.length) longest = ring;
    return longest;
  }

  #subtract(weight: number): void {
    this.#events--;
    this.#weight -= weight;
  }
}

/** The newest events of one organization, without a gap. */
export class Ring {
  #rows: LogRow[] = [];
  /** How many of the first rows have been dropped already: shifting an array moves all of it. */
  #dropped = 0;
  #floor: number;

  constructor(floor: number) {
    this.#floor = floor;
  }

  /** The number of the newest event that was seen, also while the ring is empty. */
  get head(): number {
    return this.#floor + this.length;
  }

  /** Events up to this number are not in the ring. */
  get floor(): number {
    return this.#floor;
  }

  get length(): number {
    return this.#rows.length - this.#dropped;
  }

  /** @throws Error when the row is not the next one */
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

  /** Forgets everything and goes on after `floor`; returns what it had. */
  clear(floor: number): LogRow[] {
    const rows = this.#rows.slice(this.#dropped);
    this.#rows = [];
    this.#dropped = 0;
    this.#floor = floor;
    return rows;
  }

  /** When the event of this number was written, in the process's milliseconds; undefined when it is not in the ring. */
  writtenAt(seq: number): number | undefined {
    return seq > this.#floor
      ? this.#rows[this.#dropped + (seq - this.#floor) - 1]?.writtenAt
      : undefined;
  }

  /** The events after number `seq`, which must not be below the floor. */
  *after(seq: number): Generator<LoggedEvent> {
    for (let i = this.#dropped + (seq - this.#floor); i < this.#rows.length; i++)
      yield this.#rows[i]!.event;
  }
}
