import { Lifetime } from "@carillon/db";
import { checkPayload } from "@carillon/jobs";
import { HandBack, type Run } from "@carillon/queue";
import type { AnyProcessor } from "./processor.ts";
import type { WorkerServices } from "./services.ts";

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
  readonly #services: WorkerServices;
  readonly #stopMs: number;
  #stopped: Error | undefined;

  constructor(options: { services: WorkerServices; stopMs: number }) {
    this.#services = options.services;
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
    const services = this.#services;
    const log = services.log.child({ job: given.name, id: given.id, attempt: given.attempt });
    const lifetime = new Lifetime();
    lifetime.limit(
      definition.deadlineMs,
      () => new DeadlineExceeded(`it took longer than ${definition.deadlineMs} ms`),
    );
    const end = (reason: Error) => lifetime.end(reason, false);
    const cancelled = () => end(new DeadlineExceeded("the queue cancelled the job"));
    given.signal.addEventListener("abort", cancelled, { once: true });
    const patience = new Patience(lifetime, this.#stopMs);
    const running: Running = { id: given.id, end };
    this.#running.add(running);
    try {
      const work = processor.process({
        payload,
        lifetime,
        signal: lifetime.signal,
        log,
        attempt: given.attempt,
        again: given.again,
        services,
      });
      await Promise.race([work, patience.exhausted]);
    } catch (error) {
      // What a job throws because it was told to stop says nothing; why it was told does.
      throw lifetime.reason ?? error;
    } finally {
      lifetime.unlimit();
      patience.forget();
      given.signal.removeEventListener("abort", cancelled);
      this.#running.delete(running);
    }
  }
}

/** Rejects `exhausted` where a run still goes on `stopMs` after the end of its lifetime. */
class Patience {
  readonly exhausted: Promise<never>;
  #timer: NodeJS.Timeout | undefined;
  readonly #forget: () => void;

  constructor(lifetime: Lifetime, stopMs: number) {
    let giveUp: (reason: unknown) => void = () => {};
    this.exhausted = new Promise((_resolve, reject) => (giveUp = reject));
    this.#forget = lifetime.onEnd(() => {
      this.#timer ??= setTimeout(() => giveUp(lifetime.reason), stopMs);
    });
  }

  forget(): void {
    this.#forget();
    clearTimeout(this.#timer);
  }
}
