import { recordAudit } from "@carillon/model";
import { statement, type Tx } from "@carillon/db";

/** How many an organization may have of each kind; undefined where that stays. */
export interface OrganizationLimits {
  readonly channels: number | undefined;
  readonly userGroups: number | undefined;
  readonly bots: number | undefined;
}

const store = statement({
  name: "organization-limits-store",
  text: `UPDATE realms SET max_channels = coalesce($2, max_channels), max_user_groups = coalesce($3, max_user_groups),
      max_bots = coalesce($4, max_bots) WHERE id = $1`,
  row: {},
});

/** Changes on behalf of an operator how many channels, user groups and bots an organization may have. */
export async function setLimits(
  tx: Tx,
  realmId: number,
  { channels, userGroups, bots }: OrganizationLimits,
): Promise<void> {
  if (channels === undefined && userGroups === undefined && bots === undefined) return;
  await tx.rows(store, [realmId, channels ?? null, userGroups ?? null, bots ?? null]);
  recordAudit(tx, realmId, null, [
    { type: "organization_limits_changed", data: { channels, user_groups: userGroups, bots } },
  ]);
}
