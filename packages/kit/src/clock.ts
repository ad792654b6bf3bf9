/** The clock of our own code. Due times are compared with the database's `now()` instead. */
export interface Clock {
  /** Milliseconds since the UNIX epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
