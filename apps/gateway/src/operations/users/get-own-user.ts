import { getOwnUser } from "@carillon/contract";
import { readOwnUser } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(getOwnUser, ({ sql, actor }) => readOwnUser(sql, actor));
