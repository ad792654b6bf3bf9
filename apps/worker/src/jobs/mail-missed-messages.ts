import { missedMail } from "@carillon/domain";
import { GiveUp, mailMissedMessages } from "@carillon/jobs";
import { MailRefused } from "@carillon/mail";

import { callProcessor } from "../intent-processor.ts";

/**
 * Mails a person about messages that they have missed. The id of the mail contains the id of the intent, as in other mails.
 */
export default callProcessor(
  mailMissedMessages,
  async (db, { id, realmId, payload }, { site, mailer }) => {
    const letter = await missedMail(db, site, realmId, payload);
    if (!letter) return;
    await mailer.send({ id: `missed-messages-${id}`, ...letter }).catch((error: unknown) => {
      throw error instanceof MailRefused ? new GiveUp(error.message, { cause: error }) : error;
    });
  },
);
