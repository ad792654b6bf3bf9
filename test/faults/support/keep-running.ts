import { setTimeout as pause } from "node:timers/promises";
import type { ProcessExit, TestProcess } from "@carillon/testkit";

/** A process that is started again when it ends, as by a service manager. */
export interface Kept {
  /** How it ended so far, each time by itself. */
  readonly exits: readonly ProcessExit[];
  /** Kills it for good. */
  stop(): Promise<void>;
}

/** Service managers wait a little too, so that what cannot start does not keep the machine busy. */
const pauseMs = 500;

export function keepRunning(start: () => TestProcess): Kept {
  const exits: ProcessExit[] = [];
  let stopped = false;
  let running = start();
  const watch = async () => {
    for (;;) {
      const exit = await running.exit;
      if (stopped) return;
      exits.push(exit);
      await pause(pauseMs);
      if (stopped) return;
      running = start();
    }
  };
  const watched = watch();
  return {
    exits,
    async stop() {
      stopped = true;
      await running.kill();
      await watched;
    },
  };
}
