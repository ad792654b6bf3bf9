import type { Section } from "./sections/section.ts";
import * as declared from "./sections/declared.ts";

/** Every section of the snapshot (events.md §1.2). */
export const sections: readonly Section[] = Object.values(declared).flat();
