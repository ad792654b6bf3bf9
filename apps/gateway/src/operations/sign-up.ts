import * as contract from "@carillon/contract";
import { isOpenForSignUp, makeSignUpLink } from "@carillon/domain";
import { listDomains, loadOrganizationSettings } from "@carillon/model";

import { handle } from "../handle.ts";
import { addressOf, assertActive } from "../http/form-values.ts";
import { redirect } from "../http/page.ts";
import { providerLink } from "../pages/provider-link.ts";
import { invitationRequiredPage, signUpPage, signUpSentPage } from "../pages/sign-up.ts";

export default [
  handle.page(contract.showSignUp, async ({ services }, { realm, guard }) => {
    assertActive(realm);
    const { db, site } = services;
    const settings = await loadOrganizationSettings(db, realm.id);
    const provider = providerLink(site, realm);
    if (settings.invite_required) return invitationRequiredPage(realm.name, provider);
    const domains = settings.emails_restricted_to_domains
      ? (await listDomains(db, realm.id)).map(({ domain }) => domain)
      : undefined;
    return signUpPage(guard, realm.name, { domains, provider });
  }),

  handle.page(contract.signUp, async ({ services, input, ip }, { realm }) => {
    assertActive(realm);
    const { db, site, mails } = services;
    if (!(await isOpenForSignUp(db, realm.id)))
      throw contract.errors.forbidden("This organization needs an invitation.");
    await mails.countMail(ip);
    const email = addressOf(input.email);
    if (email !== undefined) await db.transaction((tx) => makeSignUpLink(tx, site, realm, email));
    return redirect("/register/sent");
  }),

  handle.page(contract.showSignUpSent, async (_context, { realm }) => signUpSentPage(realm.name)),
];
