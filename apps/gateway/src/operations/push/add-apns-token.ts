import { addApnsToken } from "@carillon/contract";
import { addLegacyToken } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(addApnsToken, ({ tx, input: { token, appid }, actor }) =>
  addLegacyToken(tx, actor, { kind: "apns", token }, appid),
);
