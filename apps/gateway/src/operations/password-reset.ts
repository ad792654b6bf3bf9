import * as contract from "@carillon/contract";
import { findReset, loginOfAddress, requestReset, resetByLink } from "@carillon/domain";

import { handle } from "../handle.ts";
import { addressOf, assertActive, isTicked, noSuchPage } from "../http/form-values.ts";
import { problemOf, redirect } from "../http/page.ts";
import {
  newPasswordPage,
  resetDonePage,
  resetRequestPage,
  resetSentPage,
} from "../pages/password-reset.ts";

export default [
  handle.page(contract.showResetRequest, async (_context, { realm, guard }) => {
    assertActive(realm);
    return resetRequestPage(guard, realm.name);
  }),

  handle.page(contract.requestReset, async ({ services, input, ip }, { realm }) => {
    assertActive(realm);
    const { db, mails } = services;
    await mails.countMail(ip);
    const email = addressOf(input.email);
    if (email !== undefined) {
      await mails.countReset(await loginOfAddress(db, realm, email));
      await db.transaction((tx) => requestReset(tx, realm, email));
    }
    return redirect("/accounts/password/reset/sent");
  }),

  handle.page(contract.showResetSent, async (_context, { realm }) => resetSentPage(realm.name)),

  handle.page(contract.showReset, async ({ services, path }, { realm, guard }) => {
    const found = await findReset(services.db, services.site, realm, path.key);
    if (!found) throw noSuchPage();
    return newPasswordPage(guard, realm.name, { address: found.deliveryEmail });
  }),

  handle.page(contract.resetPassword, async ({ services, path, input }, { realm, guard }) => {
    const { db, site, guesses } = services;
    const { password } = input;
    const newApiKey = isTicked(input.new_api_key);
    try {
      const isDone = await resetByLink(db, site, guesses, realm, {
        key: path.key,
        password,
        newApiKey,
      });
      if (!isDone) throw noSuchPage();
    } catch (error) {
      const problem = problemOf(error);
      const found = await findReset(db, site, realm, path.key);
      if (!found) throw noSuchPage();
      return newPasswordPage(guard, realm.name, {
        address: found.deliveryEmail,
        newApiKey,
        problem,
      });
    }
    return redirect("/accounts/password/reset/done");
  }),

  handle.page(contract.showResetDone, async ({ services }, { realm }) =>
    resetDonePage({ site: services.site, realm }),
  ),
];
