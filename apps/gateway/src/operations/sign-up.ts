import * as contract from "@carillon/contract";
import { makeSignUpLink } from "@carillon/domain";
import { listDomains, loadOrganizationSettings, type Realm } from "@carillon/model";

import { handle } from "../handle.ts";
import { assertActive, checkedAddress } from "../http/form-values.ts";
import { problemOf, redirect } from "../http/page.ts";
import { invitationRequiredPage, signUpPage, signUpSentPage } from "../pages/sign-up.ts";
import type { Services } from "../services.ts";

/** Loads the rules that the page depends on. */
async function rulesOf({ db }: Pick<Services, "db">, realm: Realm) {
  const settings = await loadOrganizationSettings(db, realm.id);
  const domains = settings.emails_restricted_to_domains
    ? (await listDomains(db, realm.id)).map(({ domain }) => domain)
    : undefined;
  return { needsInvitation: settings.invite_required, domains };
}

export default [
  handle.page(contract.showSignUp, async ({ services }, { realm, guard }) => {
    assertActive(realm);
    const { needsInvitation, domains } = await rulesOf(services, realm);
    return needsInvitation
      ? invitationRequiredPage(realm.name)
      : signUpPage(guard, realm.name, { domains });
  }),

  handle.page(contract.signUp, async ({ services, input, ip }, { realm, guard }) => {
    assertActive(realm);
    const { needsInvitation, domains } = await rulesOf(services, realm);
    if (needsInvitation) throw contract.errors.forbidden("This organization needs an invitation.");
    let email: string;
    try {
      email = checkedAddress(input.email);
    } catch (error) {
      const problem = problemOf(error);
      return signUpPage(guard, realm.name, { domains, email: input.email, problem });
    }
    const { db, site, mails } = services;
    await mails.countMail(ip);
    await db.transaction((tx) => makeSignUpLink(tx, site, realm, email));
    return redirect("/register/sent");
  }),

  handle.page(contract.showSignUpSent, async (_context, { realm }) => signUpSentPage(realm.name)),
];
