import { RequestDeadline } from "@carillon/db";
import { checkPayload } from "@carillon/jobs";
import { StateMachine, type State } from "@carillon/kit";
import { HandBack, type Run } from "@carillon/queue";
import type { AnyProcessor } from "./processor.ts";
import type { WorkerServices } from "./services.ts";

/** A run took longer than its declaration allows. It counts as a failed attempt. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

/*
 *   running ──────────────── the work settles ───────────────▶ ended
 *      │                                                         ▲
 *      │ deadline, cancelled by the queue, shutdown              │ the work settles
 *      └──────────────────▶ stopping ────────────────────────────┤
 *                              │ stopMs later                    │
 *                              └──────▶ abandoned ───────────────┘
 *
 * An abandoned run ignores its signal: its slot is free again, and the queue gives its job to a worker again.
 */
type JobState =
  | State<"running">
  | State<"stopping", { readonly timer: NodeJS.Timeout }>
  | State<"abandoned">
  | State<"ended">;

/** One run of a job, under its deadline. */
class JobRun {
  readonly id: string;
  readonly deadline = new RequestDeadline();
  readonly #machine: StateMachine<JobState>;
  readonly #unsubscribe: () => void;

  constructor(id: string, deadlineMs: number, stopMs: number) {
    this.id = id;
    this.#machine = new StateMachine<JobState>(`the run of ${id}`, { kind: "running" });
    this.#unsubscribe = this.deadline.onEnd(() => this.#stopping(stopMs));
    this.deadline.limit(
      deadlineMs,
      () => new DeadlineExceeded(`it took longer than ${deadlineMs} ms`),
    );
  }

  /** Asks the work to stop. Without effect in a run that is stopping. */
  stop(reason: Error): void {
    this.deadline.end(reason, false);
  }

  /** Rejects when the run is abandoned. */
  async abandoned(): Promise<never> {
    await this.#machine.until(["abandoned"]);
    throw this.deadline.reason ?? new Error("the run was abandoned");
  }

  /** Ends the run, once its work has settled or the run was abandoned. */
  end(): void {
    const { state } = this.#machine;
    if (state.kind === "stopping") clearTimeout(state.timer);
    this.#machine.move(["running", "stopping", "abandoned"], { kind: "ended" });
    this.deadline.unlimit();
    this.#unsubscribe();
  }

  /** Leaves `running`. The deadline may call this twice: when the run is stopped, and again when its time is over. */
  #stopping(stopMs: number): void {
    if (this.#machine.state.kind !== "running") return;
    const abandon = () => this.#machine.move(["stopping"], { kind: "abandoned" });
    this.#machine.move(["running"], { kind: "stopping", timer: setTimeout(abandon, stopMs) });
  }
}

/**
 * Runs jobs under their deadlines, and stops them at a shutdown. No run holds its slot for longer than `stopMs` after
 * its deadline or the shutdown.
 */
export class RunningJobs {
  readonly #running = new Set<JobRun>();
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
   * Asks every running job to stop; each goes back to wait when it has stopped, or `stopMs` later. Jobs that arrive
   * later go back at once: a closing queue may still hand one out.
   */
  stop(): void {
    const reason = new HandBack("the process is ending");
    this.#stopped = reason;
    for (const running of this.#running) running.stop(reason);
  }

  /**
   * Checks the payload and runs the job.
   * @throws InvalidPayload, DeadlineExceeded, HandBack, or what the processor threw
   */
  async run(processor: AnyProcessor, given: Run): Promise<void> {
    if (this.#stopped) throw this.#stopped;
    const { definition } = processor;
    const payload = checkPayload(definition, given.data);
    const services = this.#services;
    const log = services.log.child({ job: given.name, id: given.id, attempt: given.attempt });
    const run = new JobRun(given.id, definition.deadlineMs, this.#stopMs);
    const { deadline } = run;
    const cancelled = () => run.stop(new DeadlineExceeded("the queue cancelled the job"));
    given.signal.addEventListener("abort", cancelled, { once: true });
    this.#running.add(run);
    try {
      const work = processor.process({
        payload,
        deadline,
        signal: deadline.signal,
        log,
        attempt: given.attempt,
        again: given.again,
        services,
      });
      await Promise.race([work, run.abandoned()]);
    } catch (error) {
      // The error of a stopped job says nothing; the reason for the stop does.
      throw deadline.reason ?? error;
    } finally {
      run.end();
      given.signal.removeEventListener("abort", cancelled);
      this.#running.delete(run);
    }
  }
}
