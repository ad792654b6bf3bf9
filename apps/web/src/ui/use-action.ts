import { useSignal } from "@preact/signals";
import { reasonOf } from "../reason.ts";

export interface Action {
  /** Whether a request is under way. */
  readonly isBusy: boolean;
  /** Why the last request was refused, for people. */
  readonly problem: string | undefined;
  /**
   * Runs a request.
   * @returns whether it succeeded
   */
  readonly run: (request: () => Promise<unknown>) => Promise<boolean>;
}

/** Runs requests that a person starts, and keeps the error of the last one. */
export function useAction(): Action {
  const isBusy = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);
  return {
    isBusy: isBusy.value,
    problem: problem.value,
    async run(request) {
      if (isBusy.peek()) return false;
      isBusy.value = true;
      problem.value = undefined;
      try {
        await request();
        return true;
      } catch (error) {
        problem.value = reasonOf(error);
        return false;
      } finally {
        isBusy.value = false;
      }
    },
  };
}
