import { roles } from "@carillon/contract";
import { statement, type Sql, type Tx } from "@carillon/db";
import { sendMail } from "@carillon/jobs";
import { uniqueId } from "@carillon/kit";
import type { Letter } from "@carillon/mail";
import { realmUrl, type Site } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

/** Maximum owners who get a mail, the oldest accounts first. */
const maxOwners = 100;

/**
 * Records for each owner a job that mails them about the deactivation of the organization (users.md §5.2).
 * @param actorId null for an operator of the server
 */
export async function recordOwnerMails(
  tx: Tx,
  realmId: number,
  actorId: number | null,
): Promise<void> {
  const kind = "organization-deactivated";
  // The key is new for each deactivation, so that two deactivations within a day mail twice.
  const occasion = uniqueId();
  const prisma = await tx.prisma();
  const found = await prisma.user.findMany({
    where: { realmId, role: roles.owner, isActive: true, isBot: false },
    orderBy: { id: "asc" },
    take: maxOwners,
    select: { id: true },
  });
  await recordIntents(
    tx,
    realmId,
    sendMail,
    found.map(({ id }) => ({
      key: `${kind}-${occasion}-${id}`,
      payload: { kind, userId: id, actorId },
    })),
  );
}

const about = statement({
  name: "organization-deactivation-to-tell",
  text: `SELECT r.name, r.subdomain, u.delivery_email AS address, actor.full_name AS actor
    FROM realms r JOIN users u ON u.realm_id = r.id AND u.id = $2 AND u.is_active
    LEFT JOIN users actor ON actor.realm_id = r.id AND actor.id = $3
    WHERE r.id = $1 AND r.deactivated`,
});

/**
 * Makes the mail that informs an owner that the organization has been deactivated.
 * @returns undefined if it has been reactivated meanwhile, or the owner's account has been deactivated
 */
export async function organizationDeactivationMail(
  sql: Sql,
  site: Site,
  realmId: number,
  { userId, actorId }: { readonly userId: number; readonly actorId: number | null },
): Promise<Letter | undefined> {
  const [found] = await sql.rows(about, [realmId, userId, actorId]);
  if (!found) return undefined;
  const { name, address, actor } = found;
  const by = actor === null ? "an operator of the server" : actor;
  const paragraphs = [
    `The organization ${name} (${realmUrl(site, found)}), which you own, has been deactivated by ${by}.`,
    "No account can log in to it any more. Nothing has been deleted: scheduled messages and other work wait, and an operator of the server can reactivate the organization.",
  ];
  return {
    to: address,
    senderName: name,
    subject: `${name} has been deactivated`,
    text: `${paragraphs.join("\n\n")}\n`,
  };
}
