import { html, type Html } from "@carillon/kit";
import { form, textField } from "../http/form-fields.ts";
import type { FormGuard } from "../http/form-guard.ts";
import type { RawReply } from "../http/handler.ts";
import { page } from "../http/page.ts";
import { webClientLink, type WebClientAddress } from "./web-client-link.ts";

type Guard = Pick<FormGuard, "token">;

/** Makes the page that asks for the password. */
export function loginPage(
  guard: Guard,
  organization: string,
  {
    passwordsAllowed,
    provider,
    username = "",
    problem,
  }: {
    readonly passwordsAllowed: boolean;
    /** The link to the identity provider; undefined if the organization uses none. */
    readonly provider: Html | undefined;
    readonly username?: string;
    readonly problem?: string;
  },
): RawReply {
  const fields = [
    textField({
      name: "username",
      label: "E-mail address",
      type: "email",
      autocomplete: "username",
      value: username,
      maxLength: 254,
    }),
    textField({
      name: "password",
      label: "Password",
      type: "password",
      autocomplete: "current-password",
      problem,
    }),
  ];
  return page({
    title: `Sign in to ${organization}`,
    status: problem === undefined ? 200 : 400,
    body: html`<p>
        This page is for clients that read a file with credentials, a <code>zuliprc</code>. Other
        apps ask for your password themselves.
      </p>
      ${provider}
      ${
        passwordsAllowed
          ? html`${form(guard, { fields, submit: "Sign in" })}
              <p><a href="/accounts/password/reset">I have forgotten my password</a></p>`
          : html`<p>${organization} does not use passwords.</p>`
      }`,
  });
}

/**
 * Makes the page after a sign-in, from which the credentials are fetched once.
 * @param ticket of `makeTicket`
 */
export function ticketPage(
  { guard, ...organization }: WebClientAddress & { readonly guard: Guard },
  ticket: string,
  address: string,
): RawReply {
  return page({
    title: "You are signed in",
    body: html`<p>The file holds the API key of <b>${address}</b>: keep it like a password.</p>
      ${form(guard, {
        action: "/accounts/login/zuliprc",
        fields: html`<input type="hidden" name="ticket" value="${ticket}" />`,
        submit: "Download the zuliprc file",
      })}
      <p>The button works once, within 10 minutes.</p>
      ${webClientLink(organization)}`,
  });
}
