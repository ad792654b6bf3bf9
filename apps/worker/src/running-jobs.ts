import { checkPayload } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";
import { HandBack, type Run } from "@carillon/queue";
import type { AnyProcessor } from "./processor.ts";

/** A run took longer than its declaration allows. It counts as a failed attempt. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

interface Running {
  readonly id: string;
  end(reason: Error): void;
}

/**
 * Runs jobs with their deadlines, and knows which are running, so that a shutdown can end them.
 * No run outlives its deadline, or the end of the process, by more than `stopMs`: one that ignores
 * its signal is given up, and its slot is free again.
 */
export class RunningJobs {
  readonly #running = new Set<Running>();
  readonly #log: Logger;
  readonly #stopMs: number;
  #stopped: Error | undefined;

  constructor(options: { log: Logger; stopMs: number }) {
    this.#log = options.log;
    this.#stopMs = options.stopMs;
  }

  get size(): number {
    return this.#running.size;
  }

  ids(): string[] {
    return [...this.#running].map((running) => running.id);
  }

  /**
   * Tells every running job to stop; those that do, or do not within `stopMs`, go back to wait. So does at once what
   * comes later: a queue that is closing may still hand out one that it has just taken back.
   */
  stop(): void {
    const reason = new HandBack("the process is ending");
    this.#stopped = reason;
    for (const running of this.#running) running.end(reason);
  }

  /**
   * One run, from the check of the payload to its end.
   * @throws InvalidPayload, DeadlineExceeded, HandBack, or what the processor threw
   */
  async run(processor: AnyProcessor, given: Run): Promise<void> {
    if (this.#stopped) throw this.#stopped;
    const { definition } = processor;
    const payload = checkPayload(definition, given.data);
    const log = this.#log.child({ job: given.name, id: given.id, attempt: given.attempt });
    const ending = new Ending(this.#stopMs);
    const cancelled = () => ending.begin(new DeadlineExceeded("the queue cancelled the job"));
    given.signal.addEventListener("abort", cancelled, { once: true });
    const deadline = setTimeout(
      () => ending.begin(new DeadlineExceeded(`it took longer than ${definition.deadlineMs} ms`)),
      definition.deadlineMs,
    );
    const running: Running = { id: given.id, end: (reason) => ending.begin(reason) };
    this.#running.add(running);
    try {
      const work = processor.process({
        payload,
        signal: ending.signal,
        log,
        attempt: given.attempt,
      });
      await Promise.race([work, ending.ignored]);
    } catch (error) {
      // What a job throws because it was told to stop says nothing; why it was told does.
      throw ending.reason ?? error;
    } finally {
      clearTimeout(deadline);
      ending.forget();
      given.signal.removeEventListener("abort", cancelled);
      this.#running.delete(running);
    }
  }
}

/** Tells one run to stop, and rejects `ignored` when it has not after `stopMs`. */
class Ending {
  readonly #controller = new AbortController();
  readonly #stopMs: number;
  readonly ignored: Promise<never>;
  #reject: (reason: Error) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  reason: Error | undefined;

  constructor(stopMs: number) {
    this.#stopMs = stopMs;
    this.ignored = new Promise((_resolve, reject) => (this.#reject = reject));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first reason stands. */
  begin(reason: Error): void {
    if (this.reason) return;
    this.reason = reason;
    this.#controller.abort(reason);
    this.#timer = setTimeout(() => this.#reject(reason), this.#stopMs);
  }

  forget(): void {
    clearTimeout(this.#timer);
  }
}
