import { signal } from "@preact/signals";
import { reasonOf } from "../reason.ts";

export interface Notice {
  readonly id: number;
  readonly text: string;
}

const shownMs = 12_000;

/** Errors of recent actions, each shown for some seconds. */
export class Notices {
  readonly shown = signal<readonly Notice[]>([]);
  #last = 0;

  add(text: string): void {
    const id = ++this.#last;
    this.shown.value = [...this.shown.value.slice(-2), { id, text }];
    setTimeout(() => this.dismiss(id), shownMs);
  }

  dismiss(id: number): void {
    this.shown.value = this.shown.value.filter((notice) => notice.id !== id);
  }

  /** Runs an action, and shows why if it fails. */
  attempt(action: Promise<unknown>): void {
    action.catch((error: unknown) => this.add(reasonOf(error)));
  }
}
