import { loadMemberships, loadRealm } from "@carillon/model";
import type { Database, Tx } from "@carillon/db";
import type { ClientCapability } from "@carillon/contract";
import { countQueries, testSite, type TestAccount } from "@carillon/testkit";

import type { Section, SnapshotContext } from "../snapshot-section.ts";

/** What the tests of the sections share. */

/** What a client says at registration. */
export interface Wanted {
  readonly capabilities?: readonly ClientCapability[];
  readonly includeSubscribers?: boolean | "partial";
  readonly named?: readonly string[];
}

/** What sections may ask for this account. */
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
    named: named && new Set(named),
  };
}

/** The fields of one section, as this account gets them now. */
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

/** How many statements the sections cost together, in one snapshot. */
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
