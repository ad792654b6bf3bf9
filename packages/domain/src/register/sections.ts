import type { Section } from "../snapshot-section.ts";
import * as declared from "./sections/declared.ts";

/** Every section of the snapshot (events.md §1.2). */
export const sections = Object.values<unknown>(declared).flat().filter(isSection);

/** Whether an export of the modules is a section. */
function isSection(value: unknown): value is Section {
  return typeof value === "object" && value !== null && "names" in value && "load" in value;
}

/**
 * Selects the sections that a client gets (events.md §1).
 * @param named the event types that the client lists; undefined without a list, which means every section that is not
 *   opt-in
 */
export function wantedSections(
  named: ReadonlySet<string> | undefined,
  among: readonly Section[] = sections,
): Section[] {
  return among.filter(({ names, optIn }) =>
    named ? names.every((name) => named.has(name)) : !optIn,
  );
}
