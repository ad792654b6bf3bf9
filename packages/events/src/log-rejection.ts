import type { Logger } from "@carillon/kit";

/** Waits for work that will be repeated if it fails; logs an error instead of rejecting. */
export type LogRejection = (work: Promise<unknown>) => Promise<void>;

export function logRejection(log: Logger): LogRejection {
  return (work) =>
    work.then(
      () => {},
      (error: unknown) => log.warn({ err: error }, "event queue work failed; it is retried"),
    );
}
