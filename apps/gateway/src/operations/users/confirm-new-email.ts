import { confirmNewEmail } from "@carillon/contract";
import { confirmAddress } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(confirmNewEmail, async ({ tx, path, services }) => ({
  email: await confirmAddress(tx, services.site, path.token),
}));
