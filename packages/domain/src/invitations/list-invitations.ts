import { type Invite } from "@carillon/contract";
import { notNull, type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import {
  type Account,
  isOrganizationAdministrator,
  loadRealm,
  type Realm,
  type Site,
} from "@carillon/model";

import { checkIsNoGuest } from "./check-offer.ts";
import { linkUrl } from "./mail.ts";
import { ownLinkIsOpen } from "./usable-links.ts";

/** Maximum rows that one page examines, about 150 KB. */
const pageRows = 500;

/**
 * Returns SQL that examines a page of rows in the order of an index, and marks the rows that the list shows. Expired rows stay
 * for 30 days, and there may be many more of them. A page examines the same number of rows whatever it shows.
 */
function pageText(ofMaker: string): string {
  return `SELECT i.id, i.maker_id AS "makerId", i.kind, i.email, i.role, i.notify_referrer AS "notifyReferrer",
      i.key_sealed AS "keySealed", floor(extract(epoch FROM i.created_at))::float8 AS invited,
      floor(extract(epoch FROM i.expires_at))::float8 AS "expiryDate",
      coalesce(i.kind IN ('email', 'multiuse') AND ${ownLinkIsOpen}, false) AS "isListed"
    FROM (SELECT * FROM invitations
      WHERE realm_id = $1 AND ended_at IS NULL AND id > $2 AND id <= $3 ${ofMaker}
      ORDER BY id LIMIT ${pageRows}) i
    ORDER BY i.id`;
}

export const pageOfAll = statement({
  name: "invitations-page",
  text: pageText(""),
  overrides: { invited: notNull },
});

export const pageOfMaker = statement({
  name: "invitations-page-of-maker",
  text: pageText("AND maker_id = $4"),
  overrides: { invited: notNull },
});

const lastLink = statement({
  name: "invitations-last-id",
  text: "SELECT last_value AS id FROM invitations_id_seq",
});

interface Page {
  readonly items: Invite[];
  /** The last id that the page has examined; undefined if it is the last page. */
  readonly lastId: number | undefined;
}

/** The first page of a list of invitations, and the parameters by which the others are read. */
export interface InvitationList {
  readonly first: Page;
  /** The last id of the list. Links that are made while it is sent are left out. */
  readonly upTo: number;
  readonly realm: Realm;
  /** The account whose links are listed; null for those of all accounts. */
  readonly makerId: number | null;
}

/**
 * Lists the invitations and reusable links that have neither ended nor expired (people.md §1): all of them for
 * administrators, their own for others. {@link invitationPages} reads all pages.
 * @throws ApiError `BAD_REQUEST` for guests
 */
export async function listInvitations(tx: Tx, site: Site, actor: Account): Promise<InvitationList> {
  checkIsNoGuest(actor);
  const realm = await loadRealm(tx, actor.realmId);
  const makerId = isOrganizationAdministrator(actor) ? null : actor.id;
  const upTo = (await tx.first(lastLink))?.id ?? 0;
  const list = { realm, makerId, upTo };
  return { ...list, first: await readPage(tx, site, list, 0) };
}

/**
 * Yields a list of invitations page by page. Each page is read when the previous one has been consumed, so it shows which
 * links have ended meanwhile.
 * @param sql runs single statements, so that a slow consumer does not keep a transaction open
 */
export async function* invitationPages(
  sql: Sql,
  site: Site,
  list: InvitationList,
): AsyncGenerator<Invite[], void, void> {
  let page = list.first;
  yield page.items;
  while (page.lastId !== undefined) {
    page = await readPage(sql, site, list, page.lastId);
    yield page.items;
  }
}

async function readPage(
  sql: Sql,
  site: Site,
  { realm, makerId, upTo }: Omit<InvitationList, "first">,
  after: number,
): Promise<Page> {
  const rows =
    makerId === null
      ? await sql.rows(pageOfAll, [realm.id, after, upTo])
      : await sql.rows(pageOfMaker, [realm.id, after, upTo, makerId]);
  return {
    items: rows.flatMap((row) => (row.isListed ? [presented(site, realm, row)] : [])),
    lastId: rows.length < pageRows ? undefined : rows.at(-1)?.id,
  };
}

function presented(site: Site, realm: Realm, row: RowOf<typeof pageOfAll>): Invite {
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
}
