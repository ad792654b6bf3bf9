import { showNewEmail } from "@carillon/contract";
import { findWantedAddress } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { newEmailPage } from "../../pages/new-email.ts";

export default handle.readsRaw(showNewEmail, async ({ sql, path, services }) =>
  newEmailPage(await findWantedAddress(sql, services.site, path.token)),
);
