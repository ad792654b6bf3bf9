import { type Invite } from "@carillon/contract";
import { notNull, type PagedList, readList, statement, type Tx } from "@carillon/db";
import { type Account, isOrganizationAdministrator, loadRealm, type Site } from "@carillon/model";

import { checkIsNoGuest } from "./check-offer.ts";
import { linkUrl } from "./mail.ts";
import { linkIsOpen } from "./usable-links.ts";

const sizes = statement({
  name: "invitations-sizes",
  text: `SELECT i.id, 300 AS bytes FROM invitations i
    WHERE i.realm_id = $1 AND ($2::int IS NULL OR i.maker_id = $2) AND i.kind IN ('email', 'multiuse') AND ${linkIsOpen}
    ORDER BY i.id`,
});

/**
 * `OFFSET 0` forces a look-up by id alone: with the other conditions beside it, PostgreSQL may prefer the index of the
 * organization's open links while its statistics are old, and reads all of them for each page or even for each row.
 */
const byIds = statement({
  name: "invitations-by-ids",
  text: `SELECT i.id, i.maker_id AS "makerId", i.kind, i.email, i.role, i.notify_referrer AS "notifyReferrer",
      i.key_sealed AS "keySealed", floor(extract(epoch FROM i.created_at))::float8 AS invited,
      floor(extract(epoch FROM i.expires_at))::float8 AS "expiryDate"
    FROM unnest($2::int[]) AS w (id)
      CROSS JOIN LATERAL (SELECT i.* FROM invitations i WHERE i.id = w.id OFFSET 0) i
    WHERE i.realm_id = $1 AND ${linkIsOpen} ORDER BY i.id`,
  overrides: { invited: notNull },
});

/**
 * Lists the invitations and reusable links that have neither ended nor expired (people.md §1): all of them for
 * administrators, their own for others.
 * @param tx a REPEATABLE READ transaction
 * @throws ApiError `BAD_REQUEST` for guests
 */
export async function listInvitations(
  tx: Tx,
  site: Site,
  actor: Account,
): Promise<Invite[] | PagedList<Invite>> {
  checkIsNoGuest(actor);
  const { realmId } = actor;
  const realm = await loadRealm(tx, realmId);
  const ofMaker = isOrganizationAdministrator(actor) ? null : actor.id;
  return readList(tx, await tx.rows(sizes, [realmId, ofMaker]), async (one, ids) => {
    const rows = await one.rows(byIds, [realmId, ids]);
    return rows.map((row): Invite => {
      const common = {
        id: row.id,
        invited_by_user_id: row.makerId ?? 0,
        invited: row.invited,
        expiry_date: row.expiryDate,
        invited_as: row.role,
      };
      return row.kind === "email"
        ? {
            ...common,
            is_multiuse: false,
            email: row.email ?? "",
            notify_referrer_on_join: row.notifyReferrer,
          }
        : {
            ...common,
            is_multiuse: true,
            link_url: linkUrl(site, realm, site.secrets.open(row.keySealed)),
          };
    });
  });
}
