import { pending } from "@carillon/scheduling";

/*
 * Following the log of a burst takes a worker up to a fifth of the processor time of the burst itself. The work for mails
 * waits while its organization delivers due messages, because those must be on time (docs/decisions/070).
 */

/** Maximum seconds for which deliveries postpone the work for mails. */
export const maxPostponed = 30;

/** SQL: whether an organization has due messages that are not sent yet. */
export const delivers = (realmId: string) => `EXISTS (SELECT FROM scheduled_messages due
  WHERE due.realm_id = ${realmId} AND ${pending("due")} AND due.deliver_at <= now())`;
