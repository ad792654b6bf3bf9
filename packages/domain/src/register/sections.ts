import type { Section } from "./section.ts";

/** Every section of the snapshot, one line each (events.md §1.2). */
export const sections: readonly Section[] = [];
