import { completeSignIn } from "@carillon/contract";
import type { NameNeeded, SignInRefusal } from "@carillon/domain";
import type { Realm, Site } from "@carillon/model";

import { html } from "@carillon/kit";
import { form, textField, tickBox } from "../http/form-fields.ts";
import type { FormGuard } from "../http/form-guard.ts";
import type { RawReply } from "../http/handler.ts";
import { page } from "../http/page.ts";

/** Makes the page of an organization that does not use the provider. */
export function noProviderPage(): RawReply {
  return page({
    status: 404,
    title: "There is no such way to sign in",
    body: html`<p>This organization does not use an identity provider.</p>`,
  });
}

/** Makes the page whose link opens the phone app: browsers do not follow a redirect from a form to an app. */
export function openAppPage(address: string): RawReply {
  return page({
    title: "Your account is ready",
    body: html`<p><a href="${address}">Continue in the app</a></p>`,
  });
}

/** Makes the form that asks a person without an account for a name, and for the agreement to the terms if there are any. */
export function namePage(
  { site, realm, guard }: { site: Site; realm: Realm; guard: Pick<FormGuard, "token"> },
  ticket: string,
  { email, name, problem }: NameNeeded["needsName"],
  { isSent, terms }: { readonly isSent: boolean; readonly terms?: string | undefined },
): RawReply {
  const fields = [
    html`<input type="hidden" name="ticket" value="${ticket}" />`,
    textField({
      name: "full_name",
      label: "Your name",
      autocomplete: "name",
      value: name,
      problem,
      maxLength: 100,
    }),
    ...(site.termsUrl === undefined
      ? []
      : [
          tickBox({
            name: "terms",
            label: html`I agree to the <a href="${site.termsUrl}" rel="noreferrer">terms</a>`,
            required: true,
            problem: terms,
          }),
        ]),
  ];
  return page({
    title: `Join ${realm.name}`,
    status: isSent ? 400 : 200,
    body: html`<p>Your account at ${realm.name} will have the e-mail address <b>${email}</b>.</p>
      ${form(guard, { fields, submit: "Join", action: `${completeSignIn.path}/` })}`,
  });
}

/** Makes the page for a request that does not fit a sign-in of this browser. */
export function staleSignInPage(): RawReply {
  return page({
    status: 400,
    title: "This sign-in is over",
    body: html`<p>
      It was begun in another browser or more than ten minutes ago, or it is finished already. Begin
      again where you began.
    </p>`,
  });
}

/** Makes the page for a malformed or unsupported one-time pad. */
export function badPadPage(): RawReply {
  return page({
    status: 400,
    title: "This was not accepted",
    body: html`<p>
      The app has sent a request that this server does not support. Update the app.
    </p>`,
  });
}

/** Makes the page for an answer of the provider that does not prove who the person is. */
export function unprovenPage(provider: string): RawReply {
  return page({
    status: 400,
    title: "You are not signed in",
    body: html`<p>
      ${provider} did not confirm who you are. Try again, and if that does not help, ask an
      administrator: the server's log has the reason.
    </p>`,
  });
}

/** Makes the page for a provider that is unavailable. */
export function providerAwayPage(provider: string): RawReply {
  return page({
    status: 503,
    title: "You cannot sign in now",
    body: html`<p>${provider} does not answer as it should. Try again in a few minutes.</p>`,
    headers: { "Retry-After": "60" },
  });
}

const refusals: Readonly<Record<SignInRefusal, string>> = {
  noVerifiedAddress: "It has not confirmed your e-mail address.",
  deactivated: "The account or the organization is deactivated.",
  addressTaken: "The account here with your e-mail address belongs to another person.",
  noAccount: "You have no account here, and need an invitation.",
};

/** Makes the page that says why a person may not sign in, although the provider has identified them. */
export function noEntryPage(
  organization: string,
  provider: string,
  refused: SignInRefusal,
): RawReply {
  return page({
    status: 403,
    title: `You cannot sign in to ${organization}`,
    body: html`<p>${provider} knows you. ${refusals[refused]}</p>
      <p>Ask an administrator of ${organization}.</p>`,
  });
}
