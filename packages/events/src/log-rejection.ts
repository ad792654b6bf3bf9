import type { Logger } from "@carillon/kit";

/** Waits for work that is repeated later if it fails; an error is only logged. */
export type LogRejection = (work: Promise<unknown>) => Promise<void>;

export function logRejection(log: Logger): LogRejection {
  return (work) =>
    work.then(
      () => {},
      (error: unknown) => log.warn({ err: error }, "following events failed; it is tried again"),
    );
}
