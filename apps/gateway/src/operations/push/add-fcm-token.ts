import { addFcmToken } from "@carillon/contract";
import { addLegacyToken } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(addFcmToken, ({ tx, input: { token }, actor }) =>
  addLegacyToken(tx, actor, { kind: "fcm", token }),
);
