import type { Logger } from "@carillon/kit";

/**
 * Seconds between the clocks of the database and a process that are worth a warning: queues go by the clocks of
 * the processes, due times by the database's.
 */
export const worryingSkew = 1;

/** Logs when the clocks part and when they are together again, once each. */
export function skewWatch(log: Logger): (seconds: number) => void {
  let apart = false;
  return (seconds) => {
    if (Math.abs(seconds) >= worryingSkew === apart) return;
    apart = !apart;
    if (apart) log.warn({ seconds }, "clock skew between the database and this machine");
    else log.info("the clocks of the database and this machine agree again");
  };
}
