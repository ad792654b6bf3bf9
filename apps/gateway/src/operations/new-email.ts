import * as contract from "@carillon/contract";
import { confirmAddress, findWantedAddress } from "@carillon/domain";
import { handle } from "../handle.ts";
import { confirmedEmailPage, newEmailPage } from "../pages/new-email.ts";

export default [
  handle.readsRaw(contract.showNewEmail, async ({ sql, path, services }) =>
    newEmailPage(await findWantedAddress(sql, services.site, path.token)),
  ),

  handle.changesRaw(contract.confirmNewEmail, async ({ tx, path, services }) =>
    confirmedEmailPage(await confirmAddress(tx, services.site, path.token)),
  ),
];
