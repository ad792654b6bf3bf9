import { confirmNewEmail } from "@carillon/contract";
import { confirmAddress } from "@carillon/domain";
import { handle } from "../../handle.ts";
import { confirmedEmailPage } from "../../pages/new-email.ts";

export default handle.changesRaw(confirmNewEmail, async ({ tx, path, services }) =>
  confirmedEmailPage(await confirmAddress(tx, services.site, path.token)),
);
