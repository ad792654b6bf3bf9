import type { Section } from "../snapshot-section.ts";
import * as declared from "./sections/declared.ts";

/** Every section of the snapshot (events.md §1.2). */
export const sections = Object.values<unknown>(declared).flat().filter(isSection);

/** Selects sections among all exports of their modules. */
function isSection(value: unknown): value is Section {
  return typeof value === "object" && value !== null && "names" in value && "load" in value;
}
