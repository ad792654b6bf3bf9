import { loadDefaults } from "@carillon/kit";
import type { Handler } from "./handler.ts";

/**
 * Loads the handlers of a folder: the default exports of its modules, each a handler or a list of them.
 * @throws StartupError for a default export that is not a handler
 */
export function loadHandlers<Services>(folder: URL): Promise<Handler<Services>[]> {
  return loadDefaults(folder, "a handler", isHandler<Services>);
}

function isHandler<Services>(value: unknown): value is Handler<Services> {
  return typeof value === "object" && value !== null && "operation" in value && "run" in value;
}
