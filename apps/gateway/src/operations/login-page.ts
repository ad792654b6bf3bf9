import { ApiError, type ErrorCode, fetchZuliprc, logInOnPage, showLogin } from "@carillon/contract";
import { logIn, makeTicket, takeTicket } from "@carillon/domain";
import { zuliprc } from "@carillon/kit";
import { type Realm, realmUrl, type Site } from "@carillon/model";

import { handle } from "../handle.ts";
import { assertActive, noSuchPage } from "../http/form-values.ts";
import { file } from "../http/page.ts";
import { loginPage, ticketPage } from "../pages/login.ts";
import { providerLink } from "../pages/provider-link.ts";

/** Errors that the sign-in form shows. Other errors get a page of their own. */
const shown: readonly ErrorCode[] = [
  "BAD_REQUEST",
  "AUTHENTICATION_FAILED",
  "USER_DEACTIVATED",
  "PASSWORD_RESET_REQUIRED",
  "PASSWORD_AUTH_DISABLED",
];

/** How people of the organization sign in. */
function waysIn(site: Site, realm: Realm) {
  return { passwordsAllowed: realm.passwordAuthEnabled, provider: providerLink(site, realm) };
}

export default [
  handle.page(showLogin, async ({ services }, { realm, guard }) => {
    assertActive(realm);
    return loginPage(guard, realm.name, waysIn(services.site, realm));
  }),

  handle.page(logInOnPage, async ({ services, input }, { realm, guard }) => {
    assertActive(realm);
    const { db, site, guesses } = services;
    try {
      const account = await logIn(db, guesses, realm, input);
      const ticket = await makeTicket(db, site, realm.id, account.id);
      return ticketPage({ site, realm, guard }, ticket, account.deliveryEmail);
    } catch (error) {
      if (!(error instanceof ApiError) || !shown.includes(error.code)) throw error;
      return loginPage(guard, realm.name, {
        ...waysIn(site, realm),
        username: input.username,
        problem: error.message,
      });
    }
  }),

  handle.page(fetchZuliprc, async ({ services, input }, { realm }) => {
    const { db, site } = services;
    const account = await db.transaction((tx) => takeTicket(tx, site, realm, input.ticket));
    if (!account) throw noSuchPage();
    return file("zuliprc", zuliprc(realmUrl(site, realm), account.email, account.apiKey));
  }),
];
