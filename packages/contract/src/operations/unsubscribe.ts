import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** The path of the link in the mail, which serves the page, its form, and the button of mail programs. */
const mailedLink = {
  page: true,
  access: "anyone",
  path: "/accounts/unsubscribe/missed_messages/{key}",
  pathParams: { key: path.key() },
  missingIs404: true,
  example: { path: { key: "fromTheMail" }, refused: [404, "there is no such link"] },
} as const;

/** `GET /accounts/unsubscribe/missed_messages/{key}` (settings-and-profile-fields.md §1.4). */
export const showUnsubscribe = operation({
  id: "show-unsubscribe",
  method: "GET",
  ...mailedLink,
  raw: [{ status: 200, about: "A page with a button that ends the mails.", type: "text/html" }],
  summary: "Show how to end mails about missed messages",
  description:
    "The target of the link in each mail about missed messages. The page changes nothing, because mail scanners and browsers open links before a person does.",
});

/** `POST /accounts/unsubscribe/missed_messages/{key}` (settings-and-profile-fields.md §1.4). */
export const endMissedMails = operation({
  id: "end-missed-mails",
  method: "POST",
  ...mailedLink,
  raw: [{ status: 200, about: "A page with the result.", type: "text/html" }],
  summary: "End mails about missed messages",
  description:
    "Sent by the button of the page, and by mail programs without a page (RFC 8058), which have neither its cookie nor its form: so it needs no token. The link works any number of times and can do nothing else.",
});
