import type { Link } from "@carillon/domain";
import { type Realm, realmUrl, type Site } from "@carillon/model";

import { html } from "@carillon/kit";
import { form, textField, tickBox } from "../http/form-fields.ts";
import type { FormGuard } from "../http/form-guard.ts";
import type { RawReply } from "../http/handler.ts";
import { page } from "../http/page.ts";
import { providerLink } from "./provider-link.ts";
import { webClientLink } from "./web-client-link.ts";

/** The fields whose values were not accepted, with the reasons. */
export type Problems = Readonly<
  Partial<Record<"email" | "full_name" | "password" | "terms", string | undefined>>
>;

/** The input of a link's page. */
interface JoinPage {
  readonly site: Site;
  readonly realm: Realm;
  readonly guard: Pick<FormGuard, "token">;
  readonly link: Link;
  readonly key: string;
  /** The values that the person typed before. */
  readonly typed?: { readonly email: string; readonly fullName: string };
  readonly problems?: Problems;
}

/** Makes the page of a link for one address, or of a reusable link. */
export function joinPage(content: JoinPage): RawReply {
  return content.link.email === null
    ? addressPage(content)
    : accountPage(content, content.link.email);
}

function statusOf(problems: Problems | undefined): number {
  return problems ? 400 : 200;
}

function addressPage({ site, realm, guard, key, typed, problems }: JoinPage): RawReply {
  const provider = providerLink(site, realm, key);
  const email = textField({
    name: "email",
    label: "Your e-mail address",
    type: "email",
    autocomplete: "email",
    value: typed?.email ?? "",
    hint: "We send a link to this address.",
    problem: problems?.email,
    maxLength: 254,
  });
  return page({
    title: `Join ${realm.name}`,
    status: statusOf(problems),
    body: html`<p>You are invited to join ${realm.name}.</p>
      ${form(guard, { fields: email, submit: "Send the link" })} ${provider}`,
  });
}

function accountPage(
  { site, realm, guard, link, key, typed, problems }: JoinPage,
  email: string,
): RawReply {
  const provider = providerLink(site, realm, key);
  const title = `Join ${realm.name}`;
  const intro = html`<p>
    Your account at ${realm.name} will have the e-mail address <b>${email}</b>.
  </p>`;
  if (!realm.passwordAuthEnabled)
    return page({
      title,
      body: html`${intro}
        <p>
          People sign in to ${realm.name} through its sign-in provider, which makes the account.
        </p>
        ${provider}`,
    });
  const fullName = textField({
    name: "full_name",
    label: "Your name",
    autocomplete: "name",
    value: typed?.fullName ?? link.fullName ?? "",
    problem: problems?.full_name,
    maxLength: 100,
  });
  const password = textField({
    name: "password",
    label: "A password",
    type: "password",
    autocomplete: "new-password",
    problem: problems?.password,
    maxLength: 100,
  });
  const terms =
    site.termsUrl !== undefined &&
    tickBox({
      name: "terms",
      label: html`I agree to the <a href="${site.termsUrl}" rel="noreferrer">terms</a>`,
      required: true,
      problem: problems?.terms,
    });
  return page({
    title,
    status: statusOf(problems),
    body: html`${intro}
    ${form(guard, { fields: html`${fullName} ${password} ${terms}`, submit: "Join" })} ${provider}`,
  });
}

/** Makes the page after an account was made. */
export function joinedPage(site: Site, realm: Realm): RawReply {
  return page({
    title: `Welcome to ${realm.name}`,
    body: html`<p>Your account is ready.</p>
      ${webClientLink({ site, realm })}
      <p>To sign in with an app, open it and enter:</p>
      <ul>
        <li>as the server's address: <b>${realmUrl(site, realm)}</b></li>
        <li>the e-mail address and the password of your account.</li>
      </ul>`,
  });
}

/** Makes the page after an address was entered: the same for every address. */
export function mailSentPage(): RawReply {
  return page({
    title: "Check your e-mail",
    body: html`<p>
        We send a mail to the address that you have entered. It explains the next step.
      </p>
      <p>If it does not arrive within a few minutes, look among the spam.</p>`,
  });
}
