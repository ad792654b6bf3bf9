import { namedOnce } from "./named-once.ts";
import * as declared from "./recurring/declared.ts";
import type { RecurringDefinition } from "./recurring.ts";

/** All recurring work. A process refuses to start unless each definition of its kind has exactly one task. */
export const allRecurring: readonly RecurringDefinition[] = namedOnce(
  "recurring work",
  Object.values(declared),
);
