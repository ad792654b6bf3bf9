import * as contract from "@carillon/contract";
import {
  makeTicket,
  newSignInKey,
  offeredProvider,
  type PendingName,
  signIn,
  type SignedIn,
  type SignInOutcome,
  storeAttempt,
  takeAttempt,
} from "@carillon/domain";
import { type IdentityProvider, type Realm, realmOfHost, realmUrl } from "@carillon/model";

import { handle, type OnPage } from "../handle.ts";
import type { HandlerContext, RawReply } from "../http/handler.ts";
import { redirect } from "../http/page.ts";
import { ticketPage } from "../pages/login.ts";
import {
  badPadPage,
  namePage,
  noEntryPage,
  noProviderPage,
  openAppPage,
  providerAwayPage,
  staleSignInPage,
  unprovenPage,
} from "../pages/sign-in.ts";
import type { Services } from "../services.ts";
import { browserCookie, browserOf } from "../sign-in/browser-cookie.ts";
import type { IdentityClient } from "../sign-in/identity-client.ts";
import { encryptedForApp, otpShape } from "../sign-in/one-time-pad.ts";
import { IdentityRefused, ProviderUnavailable } from "../sign-in/provider-errors.ts";

type Beginning = HandlerContext<
  typeof contract.beginSignIn | typeof contract.beginSignUp,
  Services
>;

/** Format of the key of an invitation link. */
const linkShape = /^[A-Za-z0-9]{1,100}$/;

/** The provider that an organization uses. */
interface Offer {
  readonly provider: IdentityProvider;
  readonly client: IdentityClient;
}

/** Returns the provider if people of the organization may sign in there. */
function offerOf({ site, identities }: Services, realm: Realm): Offer | undefined {
  const provider = offeredProvider(site, realm);
  return provider && identities && { provider, client: identities };
}

/** Sends the browser to the provider (people.md §5). */
async function begin({ input, host, headers, signal, services }: Beginning): Promise<RawReply> {
  const { db, site } = services;
  const realm = await realmOfHost(db, host);
  const offer = offerOf(services, realm);
  if (!offer) return noProviderPage();
  const { provider, client } = offer;
  if (realm.deactivated) return noEntryPage(realm.name, provider.displayName, "deactivated");
  const { mobile_flow_otp: phone, web_client_otp: web, desktop_flow_otp: desktop, link } = input;
  const isWebClient = web !== undefined;
  const otp = phone ?? web;
  if (desktop !== undefined || (otp !== undefined && !otpShape.test(otp))) return badPadPage();
  if (isWebClient && (phone !== undefined || !site.webClient)) return badPadPage();
  return answering(services, provider, async () => {
    const url = realmUrl(site, realm);
    const checks = { state: newSignInKey(), ...(await client.makeChecks()) };
    const location = await client.authorizationUrl(returnAddress(url), checks, signal);
    const { value: browser, setCookie } = browserCookie(url, headers);
    const { state, nonce, verifier } = checks;
    const usableLink = linkShape.test(link ?? "") ? link : undefined;
    const attempt = { nonce, verifier, otp, isWebClient, link: usableLink };
    await storeAttempt(db, site, realm, { kind: "begun", browser, state }, attempt);
    return redirectTo(location, { "Set-Cookie": setCookie });
  });
}

/** Signs in the person, after the provider has sent the browser back (people.md §5). */
async function complete(
  { input, headers, signal, services }: HandlerContext<typeof contract.completeSignIn, Services>,
  { realm, guard }: OnPage,
): Promise<RawReply> {
  const { db, site } = services;
  const url = realmUrl(site, realm);
  const { state = "" } = input;
  const browser = browserOf(url, headers);
  const attempt = await takeAttempt(db, site, realm, { kind: "begun", browser, state });
  const offer = offerOf(services, realm);
  if (!offer) return noProviderPage();
  if (!attempt || browser === undefined) return staleSignInPage();
  const { provider, client } = offer;
  if (realm.deactivated) return noEntryPage(realm.name, provider.displayName, "deactivated");
  return answering(services, provider, async () => {
    const { otp, isWebClient, link } = attempt;
    const identity = await client.identify(callback(url, input), { state, ...attempt }, signal);
    const outcome = await signIn(db, site, realm, identity, { link });
    const pending = { identity, otp, isWebClient, link };
    return finish({ services, realm, guard, provider, browser }, outcome, pending);
  });
}

/** Makes the account of a person who has typed a name (people.md §5). */
async function nameAccount(
  { input, headers, services }: HandlerContext<typeof contract.nameNewAccount, Services>,
  { realm, guard }: OnPage,
): Promise<RawReply> {
  const { db, site } = services;
  const browser = browserOf(realmUrl(site, realm), headers);
  const { ticket: state, full_name: fullName } = input;
  const pending = await takeAttempt(db, site, realm, { kind: "named", browser, state });
  const offer = offerOf(services, realm);
  if (!offer) return noProviderPage();
  if (!pending || browser === undefined) return staleSignInPage();
  const context = { services, realm, guard, provider: offer.provider, browser };
  const { identity, link } = pending;
  if (site.termsUrl !== undefined && input.terms !== "true") {
    const needsName = { email: identity.email ?? "", name: fullName, problem: undefined };
    return finish(context, { needsName }, pending, { terms: "Agree to the terms to join" });
  }
  return finish(context, await signIn(db, site, realm, identity, { link, fullName }), pending, {});
}

/** Data for the answers to one sign-in. */
interface SignInContext extends OnPage {
  readonly services: Services;
  readonly provider: IdentityProvider;
  /** The value of the browser's cookie. */
  readonly browser: string;
}

/**
 * Answers a sign-in with the page for its outcome, or with a redirect to the phone app or the browser client.
 * @param sent the fault of the submitted form for the name; undefined if no form was submitted
 */
async function finish(
  { services, realm, guard, provider, browser }: SignInContext,
  outcome: SignInOutcome,
  pending: PendingName,
  sent?: { readonly terms?: string },
): Promise<RawReply> {
  const { db, site, log } = services;
  if ("refused" in outcome) {
    log.warn({ realm: realm.id, reason: outcome.refused }, "sign-in refused");
    return noEntryPage(realm.name, provider.displayName, outcome.refused);
  }
  if ("needsName" in outcome) {
    const state = newSignInKey();
    await storeAttempt(db, site, realm, { kind: "named", browser, state }, pending);
    const form = { isSent: sent !== undefined, terms: sent?.terms };
    return namePage({ site, realm, guard }, state, outcome.needsName, form);
  }
  const url = realmUrl(site, realm);
  if (pending.otp !== undefined) {
    const handedOver = handOver(url, pending.otp, outcome);
    if (pending.isWebClient) {
      // The fragment is not sent to any server.
      const address = `${url}/#signed-in?${handedOver}`;
      return sent ? redirect(address) : redirectTo(address);
    }
    const address = `zulip://login?${handedOver}`;
    return sent ? openAppPage(address) : redirectTo(address);
  }
  const ticket = await makeTicket(db, site, realm.id, outcome.id);
  return ticketPage({ site, realm, guard }, ticket, outcome.email);
}

/** Runs a step of a sign-in. Answers failures of the provider with error pages. */
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

/** Returns the address to which the provider sent the browser back, with its parameters. */
function callback(url: string, input: contract.InputOf<typeof contract.completeSignIn>): URL {
  const address = new URL(returnAddress(url));
  for (const [name, value] of Object.entries(input))
    if (value !== undefined) address.searchParams.set(name, value);
  return address;
}

/** Returns the parameters that hand the key to an app. Only the app that began the sign-in can decrypt the key. */
function handOver(url: string, otp: string, { id, email, apiKey }: SignedIn): string {
  const parameters = new URLSearchParams({
    otp_encrypted_api_key: encryptedForApp(apiKey, otp),
    email,
    user_id: String(id),
    realm: url,
  });
  return parameters.toString();
}

/** Redirects to an address that the server or the provider has made, never to one of the request. */
function redirectTo(location: string, headers: Readonly<Record<string, string>> = {}): RawReply {
  const reply = redirect(location);
  return { ...reply, status: 302, headers: { ...reply.headers, ...headers } };
}

export default [
  handle.inStepsRaw(contract.beginSignIn, begin),
  handle.inStepsRaw(contract.beginSignUp, begin),
  handle.page(contract.completeSignIn, complete),
  handle.page(contract.nameNewAccount, nameAccount),
];
