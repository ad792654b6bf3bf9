import { html } from "@carillon/kit";
import { form, textField, tickBox } from "../http/form-fields.ts";
import type { FormGuard } from "../http/form-guard.ts";
import type { RawReply } from "../http/handler.ts";
import { page } from "../http/page.ts";
import { newPasswordField } from "./new-password.ts";
import { webClientLink, type WebClientAddress } from "./web-client-link.ts";

type Guard = Pick<FormGuard, "token">;

/** Makes the page that asks for the address of the account. */
export function resetRequestPage(guard: Guard, organization: string): RawReply {
  const field = textField({
    name: "email",
    label: "E-mail address",
    type: "email",
    autocomplete: "username",
    maxLength: 254,
  });
  return page({
    title: `Reset your password for ${organization}`,
    body: html`<p>
        We send a link to the address of your account. It leads to a form for a new password.
      </p>
      ${form(guard, { fields: field, submit: "Send the link" })}`,
  });
}

/** Makes the page after a request, the same for every address. */
export function resetSentPage(organization: string): RawReply {
  return page({
    title: "Check your e-mail",
    body: html`<p>
      If the address belongs to an account of ${organization}, a mail is on its way. Its link works
      for 24 hours.
    </p>`,
  });
}

/** Makes the page of the mailed link. */
export function newPasswordPage(
  guard: Guard,
  organization: string,
  {
    address,
    newApiKey = false,
    problem,
  }: {
    readonly address: string;
    readonly newApiKey?: boolean;
    readonly problem?: string;
  },
): RawReply {
  const fields = [
    newPasswordField(problem),
    tickBox({
      name: "new_api_key",
      label: "Replace my API key too: apps and bots that use it have to sign in again",
      checked: newApiKey,
    }),
  ];
  return page({
    title: `Set a new password for ${organization}`,
    status: problem === undefined ? 200 : 400,
    body: html`<p>The account is <b>${address}</b>.</p>
      ${form(guard, { fields, username: address, submit: "Set the password" })}`,
  });
}

/** Makes the page after the password was set. */
export function resetDonePage(organization: WebClientAddress): RawReply {
  return page({
    title: "Your password is set",
    body: html`<p>Sign in to ${organization.realm.name} with your app and the new password.</p>
      ${webClientLink(organization)}
      <p><a href="/accounts/login">Sign in here for a credentials file</a></p>`,
  });
}
