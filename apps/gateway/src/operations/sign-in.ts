import * as contract from "@carillon/contract";
import { newSignInKey, signIn, type SignedIn, storeAttempt, takeAttempt } from "@carillon/domain";
import {
  type IdentityProvider,
  type Realm,
  realmOfHost,
  realmUrl,
  usesProvider,
} from "@carillon/model";

import { handle } from "../handle.ts";
import type { HandlerContext, RawReply } from "../http/handler.ts";
import { redirect } from "../http/page.ts";
import {
  badPadPage,
  noEntryPage,
  noProviderPage,
  providerAwayPage,
  signedInPage,
  staleSignInPage,
  unprovenPage,
} from "../pages/sign-in.ts";
import type { Services } from "../services.ts";
import { browserCookie, browserOf } from "../sign-in/browser-cookie.ts";
import type { IdentityClient } from "../sign-in/identity-client.ts";
import { encryptedForPhone, otpShape } from "../sign-in/one-time-pad.ts";
import { IdentityRefused, ProviderUnavailable } from "../sign-in/provider-errors.ts";

type Beginning = HandlerContext<
  typeof contract.beginSignIn | typeof contract.beginSignUp,
  Services
>;

/** The provider that an organization uses. */
interface Offer {
  readonly provider: IdentityProvider;
  readonly client: IdentityClient;
}

/** Returns the provider if people of the organization may sign in there. */
function offerOf({ site, identities }: Services, realm: Realm): Offer | undefined {
  const { identityProvider: provider } = site;
  const isOffered = usesProvider(provider, realm) && realm.oidcAuthEnabled;
  return isOffered && provider && identities ? { provider, client: identities } : undefined;
}

/** Sends the browser to the provider (people.md §5). */
async function begin({ input, host, headers, signal, services }: Beginning): Promise<RawReply> {
  const { db, site } = services;
  const realm = await realmOfHost(db, host);
  const offer = offerOf(services, realm);
  if (!offer) return noProviderPage();
  const { provider, client } = offer;
  if (realm.deactivated) return noEntryPage(realm.name, provider.displayName, "deactivated");
  const { mobile_flow_otp: otp, desktop_flow_otp: desktop, link } = input;
  if (desktop !== undefined || (otp !== undefined && !otpShape.test(otp))) return badPadPage();
  return answering(services, provider, async () => {
    const url = realmUrl(site, realm);
    const checks = { state: newSignInKey(), ...(await client.makeChecks()) };
    const location = await client.authorizationUrl(returnAddress(url), checks, signal);
    const { value: browser, setCookie } = browserCookie(url, headers);
    const { state, nonce, verifier } = checks;
    await storeAttempt(db, site, realm, { browser, state }, { nonce, verifier, otp, link });
    return away(location, { "Set-Cookie": setCookie });
  });
}

/** Signs in the person with whom the provider sends the browser back (people.md §5). */
async function complete({
  input,
  host,
  headers,
  signal,
  services,
}: HandlerContext<typeof contract.completeSignIn, Services>): Promise<RawReply> {
  const { db, site } = services;
  const realm = await realmOfHost(db, host);
  const url = realmUrl(site, realm);
  const { state = "" } = input;
  const attempt = await takeAttempt(db, site, realm, { browser: browserOf(url, headers), state });
  const offer = offerOf(services, realm);
  if (!offer) return noProviderPage();
  if (!attempt) return staleSignInPage();
  const { provider, client } = offer;
  const refuse = noEntryPage.bind(undefined, realm.name, provider.displayName);
  if (realm.deactivated) return refuse("deactivated");
  return answering(services, provider, async () => {
    const identity = await client.identify(callback(url, input), { state, ...attempt }, signal);
    const outcome = await signIn(db, site, realm, identity);
    if ("refused" in outcome) {
      services.log.warn({ realm: realm.id, reason: outcome.refused }, "sign-in refused");
      return refuse(outcome.refused);
    }
    return attempt.otp === undefined
      ? signedInPage(realm.name, outcome.email)
      : toPhone(url, attempt.otp, outcome);
  });
}

/** Answers with pages for failures of the provider. */
async function answering(
  { log }: Services,
  { displayName }: IdentityProvider,
  work: () => Promise<RawReply>,
): Promise<RawReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProviderUnavailable) {
      log.error({ err: error }, "identity provider unavailable");
      return providerAwayPage(displayName);
    }
    if (error instanceof IdentityRefused) {
      log.warn({ err: error }, "answer of the identity provider refused");
      return unprovenPage(displayName);
    }
    throw error;
  }
}

/** The address to which the provider sends the browser back; operators register it there. */
function returnAddress(url: string): string {
  return `${url}${contract.completeSignIn.path}/`;
}

/** The address that the browser was sent back to, with the parameters that matter. */
function callback(url: string, input: contract.InputOf<typeof contract.completeSignIn>): URL {
  const address = new URL(returnAddress(url));
  for (const [name, value] of Object.entries(input))
    if (value !== undefined) address.searchParams.set(name, value);
  return address;
}

/** Hands the key to the phone app, whose address no other app can read the key from. */
function toPhone(url: string, otp: string, { id, email, apiKey }: SignedIn): RawReply {
  const query = new URLSearchParams({
    otp_encrypted_api_key: encryptedForPhone(apiKey, otp),
    email,
    user_id: String(id),
    realm: url,
  });
  return away(`zulip://login?${query.toString()}`);
}

/** Sends the browser elsewhere: to an address that the server or the provider has made, never to one of the request. */
function away(location: string, headers: Readonly<Record<string, string>> = {}): RawReply {
  const reply = redirect(location);
  return { ...reply, status: 302, headers: { ...reply.headers, ...headers } };
}

export default [
  handle.inStepsRaw(contract.beginSignIn, begin),
  handle.inStepsRaw(contract.beginSignUp, begin),
  handle.inStepsRaw(contract.completeSignIn, complete),
];
