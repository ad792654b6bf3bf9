import type { Logger } from "./logger.ts";
import { answerPings } from "./pings.ts";

/**
 * Runs shutdown steps in order: groups one after the other, the steps of one group concurrently. A failing step is
 * logged and does not stop the others. The whole shutdown ends within `limitMs` milliseconds.
 */
export class Shutdown {
  readonly #groups: Array<Array<{ name: string; stop: () => Promise<unknown> | unknown }>> = [];
  readonly #log: Logger;
  readonly #limitMs: number;
  #running: Promise<void> | undefined;

  constructor(log: Logger, limitMs = 9_000) {
    this.#log = log;
    this.#limitMs = limitMs;
  }

  /** Adds a step; lower `order` stops first. */
  add(order: number, name: string, stop: () => Promise<unknown> | unknown): void {
    (this.#groups[order] ??= []).push({ name, stop });
  }

  /** Runs every group once; later calls wait for the same shutdown. */
  run(): Promise<void> {
    return (this.#running ??= this.#run());
  }

  async #run(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#log.warn(
          { limitMs: this.#limitMs },
          "shutdown took too long; skipping the remaining steps",
        );
        resolve();
      }, this.#limitMs);
    });
    await Promise.race([this.#steps(), limit]);
    clearTimeout(timer);
  }

  async #steps(): Promise<void> {
    for (const group of this.#groups) {
      await Promise.all(
        (group ?? []).map(async ({ name, stop }) => {
          try {
            await stop();
          } catch (error) {
            this.#log.error({ err: error, step: name }, "shutdown step failed");
          }
        }),
      );
    }
  }

  /**
   * Runs the shutdown on SIGTERM and SIGINT, then exits with code 0; a second signal exits at once.
   * @param options `endWithParent`: also shut down when the parent process is gone (its IPC channel closes), so that a
   *   killed standalone leaves no port taken; and answer the parent's pings
   */
  onSignals(options: { endWithParent?: boolean } = {}): void {
    let signalled = false;
    const end = (why: string) => {
      if (signalled) process.exit(1);
      signalled = true;
      this.#log.info({ why }, "stopping");
      void this.run().then(() => process.exit(0));
    };
    process.on("SIGTERM", () => end("SIGTERM"));
    process.on("SIGINT", () => end("SIGINT"));
    if (options.endWithParent && process.channel) {
      process.on("disconnect", () => end("parent gone"));
      answerPings();
    }
  }
}
