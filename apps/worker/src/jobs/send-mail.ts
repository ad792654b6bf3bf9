import type { Sql } from "@carillon/db";
import {
  addressChangeMail,
  deactivationMail,
  invitationMail,
  organizationDeactivationMail,
  identityLinkedMail,
  signedInMail,
  passwordChangedMail,
  resetMail,
} from "@carillon/domain";
import { GiveUp, sendMail, type MailIntent } from "@carillon/jobs";
import { MailRefused, type Letter } from "@carillon/mail";
import type { Site } from "@carillon/model";

import { callProcessor } from "../intent-processor.ts";

/** Sends one mail. A mail that the server rejects permanently becomes a dead letter at once. */
export default callProcessor(sendMail, async (db, { id, realmId, payload }, { site, mailer }) => {
  const letter = await compose(db, site, realmId, payload);
  if (!letter) return;
  await mailer.send({ id: mailId(id, payload), ...letter }).catch((error: unknown) => {
    throw error instanceof MailRefused ? new GiveUp(error.message, { cause: error }) : error;
  });
});

/** Returns the name of a mail: the same for each attempt, another one for each mail that is requested. */
function mailId(intentId: number, wanted: MailIntent): string {
  const { kind } = wanted;
  return kind === "invitation"
    ? `${kind}-${wanted.invitationId}-${wanted.number}`
    : `${kind}-${intentId}`;
}

/** Writes the mail; returns undefined if it is no longer needed. */
function compose(
  sql: Sql,
  site: Site,
  realmId: number,
  wanted: MailIntent,
): Promise<Letter | undefined> {
  switch (wanted.kind) {
    case "account-deactivated":
      return deactivationMail(sql, site, realmId, wanted);
    case "address-change":
      return addressChangeMail(sql, site, realmId, wanted);
    case "organization-deactivated":
      return organizationDeactivationMail(sql, site, realmId, wanted);
    case "invitation":
      return invitationMail(sql, site, realmId, wanted);
    case "signed-in":
      return signedInMail(sql, site, realmId, wanted);
    case "identity-linked":
      return identityLinkedMail(sql, site, realmId, wanted);
    case "password-reset":
      return resetMail(sql, site, realmId, wanted);
    case "password-changed":
      return passwordChangedMail(sql, site, realmId, wanted);
  }
}
