import { removeApnsToken } from "@carillon/contract";
import { removeLegacyToken } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(removeApnsToken, ({ tx, input: { token }, actor }) =>
  removeLegacyToken(tx, actor, { kind: "apns", token }),
);
