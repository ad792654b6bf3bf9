import type { RequestDeadline } from "@carillon/db";
import { assertState } from "@carillon/kit";

/*
 *               ┌────── retryLater, serialize ──────┐
 *               ▼                                   │
 *   new ───▶ waiting ────────── begin ─────────▶ running
 *               │                                   │
 *               │ deadline, hang-up, load shed      │ committed, rejected, failed
 *               └───────────▶ answered ◀────────────┘
 */
type MemberState = "waiting" | "running" | "answered";

/** Parts of a new member. */
export interface MemberParts<Request, Result> {
  readonly accountId: number;
  /** UTF-16 units of its text. */
  readonly weight: number;
  readonly request: Request;
  readonly deadline: RequestDeadline;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** One request on its way through a {@link BatchQueue}. It is answered once. */
export class BatchMember<Request, Result> {
  readonly accountId: number;
  readonly weight: number;
  readonly request: Request;
  readonly deadline: RequestDeadline;
  /** When it arrived, by `performance.now()`. */
  readonly since = performance.now();
  readonly #resolve: (result: Result) => void;
  readonly #reject: (error: unknown) => void;
  #state: MemberState = "waiting";

  constructor(parts: MemberParts<Request, Result>) {
    this.accountId = parts.accountId;
    this.weight = parts.weight;
    this.request = parts.request;
    this.deadline = parts.deadline;
    this.#resolve = parts.resolve;
    this.#reject = parts.reject;
  }

  /** Whether its client has hung up or its deadline has passed. */
  get hasEnded(): boolean {
    return this.deadline.reason !== undefined;
  }

  begin(): void {
    assertState("a request", this.#state, "waiting");
    this.#state = "running";
  }

  /** Leaves `running`: the request waits for another transaction. */
  waitAgain(): void {
    assertState("a request", this.#state, "running");
    this.#state = "waiting";
  }

  resolve(result: Result): void {
    assertState("a request", this.#state, "running");
    this.#state = "answered";
    this.#resolve(result);
  }

  reject(error: unknown): void {
    assertState("a request", this.#state, "waiting", "running");
    this.#state = "answered";
    this.#reject(error);
  }
}
