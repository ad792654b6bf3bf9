import { statement, typed, type Sql } from "@carillon/db";
import type { Sealer } from "@carillon/kit";
import type { TokenKind } from "@carillon/push";

/** The server and the organization of the device. */
export interface Owner {
  readonly serverId: string;
  /** The organization's UUID. */
  readonly realmUuid: string;
}

/** How a device is reached. */
export interface Registration {
  readonly kind: TokenKind;
  /** The token that the provider issued. */
  readonly token: string;
  /** The app's bundle id; null unless APNs. */
  readonly iosAppId: string | null;
}

/** A stored registration. */
export interface KeptRegistration extends Registration {
  readonly registeredAt: Date;
}

const put = statement({
  name: "bouncer-registration-put",
  text: `INSERT INTO registration (server_id, realm_uuid, token_id, kind, sealed_token, ios_app_id)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (server_id, realm_uuid, token_id) DO UPDATE SET kind = excluded.kind,
      sealed_token = excluded.sealed_token, ios_app_id = excluded.ios_app_id, registered_at = now()`,
});

const byTokenIds = statement({
  name: "bouncer-registrations",
  text: `SELECT token_id AS "tokenId", kind, sealed_token AS sealed, ios_app_id AS "iosAppId",
      registered_at AS "registeredAt"
    FROM registration WHERE server_id = $1 AND realm_uuid = $2 AND token_id = ANY($3::bytea[])`,
  overrides: { kind: typed<TokenKind>() },
});

/** Keeps a device that has registered again meanwhile. */
const remove = statement({
  name: "bouncer-registrations-remove",
  text: `DELETE FROM registration r USING unnest($3::bytea[], $4::timestamptz[]) AS dead (token_id, as_of)
    WHERE r.server_id = $1 AND r.realm_uuid = $2 AND r.token_id = dead.token_id
      AND date_trunc('milliseconds', r.registered_at) <= dead.as_of`,
});

/** Stores a registration. Repeating it only updates the time. */
export async function putRegistration(
  sql: Sql,
  sealer: Sealer,
  { serverId, realmUuid }: Owner,
  tokenId: Uint8Array,
  { kind, token, iosAppId }: Registration,
): Promise<void> {
  const sealed = sealer.seal(Buffer.from(token, "utf8"));
  await sql.rows(put, [serverId, realmUuid, tokenId, kind, sealed, iosAppId]);
}

/** Finds the registrations of these tokens, by their ids in Base64. */
export async function findRegistrations(
  sql: Sql,
  sealer: Sealer,
  { serverId, realmUuid }: Owner,
  tokenIds: readonly Uint8Array[],
): Promise<Map<string, KeptRegistration>> {
  const rows = await sql.rows(byTokenIds, [serverId, realmUuid, tokenIds]);
  return new Map(
    rows.map(({ tokenId, sealed, ...rest }) => [
      tokenId.toString("base64"),
      { ...rest, token: Buffer.from(sealer.open(sealed)).toString("utf8") },
    ]),
  );
}

/** Removes registrations that the provider called dead, unless they were renewed since. */
export async function removeRegistrations(
  sql: Sql,
  { serverId, realmUuid }: Owner,
  dead: ReadonlyArray<{ readonly tokenId: Uint8Array; readonly registeredAt: Date }>,
): Promise<void> {
  if (dead.length === 0) return;
  const ids = dead.map(({ tokenId }) => tokenId);
  const times = dead.map(({ registeredAt }) => registeredAt);
  await sql.rows(remove, [serverId, realmUuid, ids, times]);
}
