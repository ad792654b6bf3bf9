import { loadDefaults, StartupError } from "@carillon/kit";

import type { Integration } from "./integration.ts";

const names = /^[a-z][a-z0-9_]*$/;

/**
 * Loads the integrations of a folder by their names: the default exports of its modules.
 * @param folder see `loadDefaults`
 * @throws StartupError for a default export that is not an integration, and for a name that is taken or cannot be in a path
 */
async function loadIntegrations(folder: URL): Promise<ReadonlyMap<string, Integration>> {
  const found = await loadDefaults(folder, "an integration", isIntegration);
  const byName = new Map(found.map((one) => [one.name, one]));
  const wrong = found.find((one) => !names.test(one.name) || byName.get(one.name) !== one);
  if (wrong)
    throw new StartupError(
      `there are two integrations ${wrong.name}, or its name has other characters than a-z, 0-9 and _`,
    );
  return byName;
}

/** All integrations, by their names. */
export const integrations = await loadIntegrations(new URL("./integrations", import.meta.url));

function isIntegration(value: unknown): value is Integration {
  return typeof value === "object" && value !== null && "formats" in value && "label" in value;
}
