import { statement, type Sql, type Tx } from "@carillon/db";
import { recordIntents } from "@carillon/outbox";
import { sendMail } from "@carillon/jobs";
import type { Letter } from "@carillon/mail";
import { realmUrl, type Site } from "@carillon/model";

/** The comment for a deactivated user, as stored in the audit log. */
export interface DeactivationNote {
  /** Trimmed; blank for a mail without a comment. */
  readonly notification_comment: string;
}

/** Records a job that mails the person. @param auditId id of the deactivation's entry in the audit log */
export async function recordDeactivationMail(
  tx: Tx,
  realmId: number,
  auditId: number,
): Promise<void> {
  const kind = "account-deactivated";
  await recordIntents(tx, realmId, sendMail, [
    { key: `${kind}-${auditId}`, payload: { kind, auditId } },
  ]);
}

const about = statement({
  name: "deactivation-to-tell",
  text: `SELECT r.name, r.subdomain, u.delivery_email AS address, a.extra_data->>'notification_comment' AS comment
    FROM audit_log a JOIN users u ON u.id = a.modified_user_id JOIN realms r ON r.id = a.realm_id
    WHERE a.realm_id = $1 AND a.id = $2`,
});

/**
 * Makes the mail that informs a person of the deactivation, with the administrator's comment (users.md §4).
 * @param wanted `auditId`: id of the deactivation's entry in the audit log
 */
export async function deactivationMail(
  sql: Sql,
  site: Site,
  realmId: number,
  { auditId }: { readonly auditId: number },
): Promise<Letter | undefined> {
  const [found] = await sql.rows(about, [realmId, auditId]);
  if (!found) return undefined;
  const { name, address, comment } = found;
  const paragraphs = [
    `Your account ${address} at ${name} (${realmUrl(site, found)}) has been deactivated: you cannot log in any more.`,
    ...(comment ? ["An administrator adds:", comment] : []),
  ];
  return {
    to: address,
    senderName: name,
    subject: `Your account at ${name} has been deactivated`,
    text: `${paragraphs.join("\n\n")}\n`,
  };
}
