import { statement, type Tx } from "@carillon/db";
import type { Realm, Site } from "@carillon/model";

import { createEmptyOrganization } from "../realms/create-organization.ts";

const begin = statement({
  name: "import-begin",
  text: `WITH realm AS (UPDATE realms SET deactivated = true WHERE id = $2 RETURNING id)
    UPDATE organization_imports SET realm_id = realm.id FROM realm WHERE organization_imports.id = $1`,
});

/**
 * Returns the subdomain of an organization that is being imported. No host name has such a label, so no request reaches
 * the organization before it is complete.
 */
const importedSubdomain = (importId: number) => `.import-${importId}`;

/** Creates the organization of an import. It is deactivated until the import is complete. */
export async function createImportedOrganization(
  tx: Tx,
  site: Site,
  { importId, name }: { readonly importId: number; readonly name: string },
): Promise<Realm> {
  const subdomain = importedSubdomain(importId);
  const { realm } = await createEmptyOrganization(tx, site, { subdomain, name });
  await tx.rows(begin, [importId, realm.id]);
  return realm;
}
