import type { Logger } from "@carillon/kit";

/** Waits for work that is done again later if it fails: what went wrong is only logged. */
export type Quietly = (work: Promise<unknown>) => Promise<void>;

export function quietly(log: Logger): Quietly {
  return (work) =>
    work.then(
      () => {},
      (error: unknown) => log.warn({ err: error }, "events could not be followed; it tries again"),
    );
}
