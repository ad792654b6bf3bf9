import { setTimeout as pause } from "node:timers/promises";
import type { ProcessExit, TestProcess } from "@carillon/testkit";

/** A process that is restarted when it ends, as by a service manager. */
export interface Kept {
  /** Its exits so far, without the final kill. */
  readonly exits: readonly ProcessExit[];
  /** Kills it and does not restart it. */
  stop(): Promise<void>;
}

/** Pause before a restart, in milliseconds, so that a failing start does not use a whole CPU. */
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
