import { loadMemberships, loadRealm } from "@carillon/model";
import type { Database, Tx } from "@carillon/db";
import type { ClientCapability } from "@carillon/contract";
import { countQueries, testSite, type TestAccount } from "@carillon/testkit";

import type { Section, SnapshotContext } from "../snapshot-section.ts";

/** Helpers of the sections' tests. */

/** The options of a client's registration. */
export interface Wanted {
  readonly capabilities?: readonly ClientCapability[];
  readonly includeSubscribers?: boolean | "partial";
  readonly named?: readonly string[];
}

/** Makes the context of sections for this account. */
export async function contextOf(
  tx: Tx,
  actor: TestAccount,
  { capabilities = [], includeSubscribers = false, named }: Wanted = {},
): Promise<SnapshotContext> {
  return {
    tx,
    site: testSite(),
    realm: await loadRealm(tx, actor.realmId),
    actor,
    memberships: await loadMemberships(tx, [actor.id]),
    clientGravatar: false,
    slimPresence: true,
    presenceHistoryLimit: 14,
    includeSubscribers,
    capabilities: new Set(capabilities),
    needs: [],
    webhookIntegrations: [],
    named: named && new Set(named),
  };
}

/** Loads the current fields of one section for this account. */
export function fieldsOf(
  db: Database,
  section: Section,
  actor: TestAccount,
  wanted: Wanted = {},
): Promise<Readonly<Record<string, unknown>>> {
  return db.transaction(async (tx) => section.load(await contextOf(tx, actor, wanted)), {
    mode: "repeatable read read only",
  });
}

/** Returns how many statements the sections need together in one snapshot. */
export async function statementsOf(
  db: Database,
  sections: readonly Section[],
  actor: TestAccount,
  wanted: Wanted = {},
): Promise<number> {
  const count = async (loaded: readonly Section[]) => {
    const work = async (tx: Tx) => {
      const context = await contextOf(tx, actor, wanted);
      await Promise.all(loaded.map((section) => section.load(context)));
    };
    return (await countQueries(db, () => db.transaction(work))).count;
  };
  return (await count(sections)) - (await count([]));
}
