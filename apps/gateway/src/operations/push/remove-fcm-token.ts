import { removeFcmToken } from "@carillon/contract";
import { removeLegacyToken } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(removeFcmToken, ({ tx, input: { token }, actor }) =>
  removeLegacyToken(tx, actor, { kind: "fcm", token }),
);
