import type { Job, Queue } from "bullmq";

/** A job as shown to operators and tests. Times are UNIX milliseconds. */
export interface JobView {
  readonly id: string;
  readonly name: string;
  readonly payload: unknown;
  readonly state: string;
  readonly attempts: number;
  /** How often its worker crashed or froze while the job ran. */
  readonly stalls: number;
  readonly addedAt: number;
  /** When it may run; later than `addedAt` for a delayed one. */
  readonly dueAt: number;
  readonly failure?: string;
}

export interface QueueCounts {
  waiting: number;
  active: number;
  delayed: number;
  completed: number;
  failed: number;
}

export type JobPresence = "to run" | "ended" | "absent";

export interface QueueInspection {
  counts(): Promise<QueueCounts>;
  /** Milliseconds until workers take jobs again after a pause or a reached rate limit; 0 if they do now. */
  pausedForMs(): Promise<number>;
  /** Returns the job of this id; undefined when it does not exist. */
  job(id: string): Promise<JobView | undefined>;
  /** Returns whether the job of this id will still run, has ended but is kept, or does not exist. */
  presence(id: string): Promise<JobPresence>;
  /** Returns the latest failed jobs, newest first, at most `limit`. */
  failed(limit: number): Promise<JobView[]>;
}

/** Returns queries about one queue that need no knowledge of BullMQ. */
export function inspect(
  queue: Queue,
  limit: { readonly jobs: number } | undefined,
): QueueInspection {
  return {
    async counts() {
      const counts = await queue.getJobCounts(
        "waiting",
        "prioritized",
        "active",
        "delayed",
        "completed",
        "failed",
      );
      const of = (state: string) => counts[state] ?? 0;
      return {
        // Jobs with a priority are counted separately.
        waiting: of("waiting") + of("prioritized"),
        active: of("active"),
        delayed: of("delayed"),
        completed: of("completed"),
        failed: of("failed"),
      };
    },
    async pausedForMs() {
      return limit ? Math.max(0, await queue.getRateLimitTtl(limit.jobs)) : 0;
    },
    async job(id) {
      const job = await queue.getJob(id);
      return job ? view(job, await job.getState()) : undefined;
    },
    async presence(id) {
      const state = await queue.getJobState(id);
      if (state === "unknown") return "absent";
      return state === "completed" || state === "failed" ? "ended" : "to run";
    },
    async failed(limit) {
      const jobs = await queue.getFailed(0, limit - 1);
      return jobs.map((job) => view(job, "failed"));
    },
  };
}

function view(job: Job, state: string): JobView {
  return {
    id: job.id ?? "",
    name: job.name,
    payload: job.data,
    state,
    attempts: job.attemptsMade,
    stalls: job.stalledCounter,
    addedAt: job.timestamp,
    dueAt: job.timestamp + (job.delay ?? 0),
    ...(job.failedReason ? { failure: job.failedReason } : {}),
  };
}
