import { errors, maxReusableLinks } from "@carillon/contract";
import { lockKey, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { type Account, invitesChangedEvents, recordAudit, type Site } from "@carillon/model";

import { checkOffer, openInviter, type WantedOffer } from "./check-offer.ts";
import { linkUrl } from "./mail.ts";
import { makeLinks } from "./make-links.ts";
import { ownLinkIsOpen } from "./usable-links.ts";

/** A request for a reusable link. */
export interface WantedLink extends WantedOffer {
  /** Null: the link does not expire. */
  readonly minutes: number | null;
}

/**
 * Makes a reusable link (people.md §1).
 * @returns its URL
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function createReusableLink(
  tx: Tx,
  site: Site,
  account: Account,
  wanted: WantedLink,
): Promise<string> {
  const inviter = await openInviter(tx, account, "createMultiuseInviteGroup", wanted.role);
  const { actor, realm } = inviter;
  const offer = await checkOffer(tx, site, inviter, wanted, 1);
  await checkBound(tx, realm.id);
  const { minutes } = wanted;
  const link = {
    ...offer,
    kind: "multiuse",
    makerId: actor.id,
    notifyReferrer: false,
    minutes,
  } as const;
  const [made] = await makeLinks(tx, site, realm.id, link, [null]);
  if (!made) throw new Error("link insert returned no row");
  recordAudit(tx, realm.id, actor.id, [
    { type: "invite_link_created", data: { invitation_id: made.id, role: offer.role } },
  ]);
  emit(tx, realm.id, await invitesChangedEvents(tx, realm.id, [actor.id]));
  return linkUrl(site, realm, made.key);
}

const openLinks = statement({
  name: "reusable-links-count",
  text: `SELECT count(*)::int AS count FROM invitations i WHERE i.realm_id = $1 AND i.kind = 'multiuse' AND ${ownLinkIsOpen}`,
});

/** Checks that the organization may have another reusable link. @throws ApiError `BAD_REQUEST` if not */
async function checkBound(tx: Tx, realmId: number): Promise<void> {
  await lockKey(tx, "invitationCounts", realmId);
  const found = await tx.first(openLinks, [realmId]);
  if ((found?.count ?? 0) >= maxReusableLinks)
    throw errors.badRequest(
      `An organization cannot have more than ${maxReusableLinks} reusable links: revoke some first`,
    );
}
