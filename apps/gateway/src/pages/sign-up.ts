import { html, type Html } from "@carillon/kit";
import { form, textField } from "../http/form-fields.ts";
import type { FormGuard } from "../http/form-guard.ts";
import type { RawReply } from "../http/handler.ts";
import { page } from "../http/page.ts";

/** Maximum domains that the page lists; if there are more, it lists none. */
const maxNamed = 10;

/** Makes the page that asks for the address of a new account. */
export function signUpPage(
  guard: Pick<FormGuard, "token">,
  organization: string,
  {
    domains,
    provider,
  }: {
    /** The only domains whose addresses are accepted; undefined if there is no such rule. */
    readonly domains: readonly string[] | undefined;
    /** The link to the identity provider; undefined if the organization uses none. */
    readonly provider: Html | undefined;
  },
): RawReply {
  const field = textField({
    name: "email",
    label: "E-mail address",
    type: "email",
    autocomplete: "email",
    maxLength: 254,
    ...(domains && { hint: hintOf(domains) }),
  });
  return page({
    title: `Sign up for ${organization}`,
    body: html`<p>
        We send a link to your address. It leads to a form for your name and your password.
      </p>
      ${form(guard, { fields: field, submit: "Send the link" })} ${provider} ${signInLink}`,
  });
}

function hintOf(domains: readonly string[]): string {
  return domains.length > maxNamed
    ? "Only addresses of the organization's domains are accepted."
    : `Only addresses of these domains are accepted: ${domains.join(", ")}.`;
}

const signInLink: Html = html`<p><a href="/accounts/login">I have an account</a></p>`;

/**
 * Makes the page of an organization that people join by invitation only.
 * @param provider the link to the identity provider, at which invited people can join too
 */
export function invitationRequiredPage(organization: string, provider: Html | undefined): RawReply {
  return page({
    title: `${organization} needs an invitation`,
    body: html`<p>Ask a member of the organization to invite you.</p>
      ${provider} ${signInLink}`,
  });
}

/** Makes the page after a request, the same for every address. */
export function signUpSentPage(organization: string): RawReply {
  return page({
    title: "Check your e-mail",
    body: html`<p>
        ${organization} has sent a mail to the address that you gave. Its link works for 24 hours.
      </p>
      <p>
        No mail? Look into the folder for unwanted mail, and check the address and whether its
        domain is accepted.
      </p>`,
  });
}
