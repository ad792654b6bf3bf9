import { namedOnce } from "./named-once.ts";
import * as declared from "./recurring/declared.ts";
import type { RecurringDefinition } from "./recurring.ts";

/** All recurring work there is. A process refuses to start unless it has exactly one task for each of its own. */
export const allRecurring: readonly RecurringDefinition[] = namedOnce(
  "recurring work",
  Object.values(declared),
);
