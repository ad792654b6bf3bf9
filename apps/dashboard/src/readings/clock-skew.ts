import type { Logger } from "@carillon/kit";

/** Clock skew in seconds from which to warn: queues use the processes' clocks, due times the database's. */
export const worryingSkew = 1;

/** Returns a function that logs when clock skew begins and ends, once each. */
export function skewWatch(log: Logger): (seconds: number) => void {
  let skewed = false;
  return (seconds) => {
    if (Math.abs(seconds) >= worryingSkew === skewed) return;
    skewed = !skewed;
    if (skewed) log.warn({ seconds }, "clock skew between the database and this machine");
    else log.info("the clocks of the database and this machine agree again");
  };
}
