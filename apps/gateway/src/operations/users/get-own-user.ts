import { getOwnUser } from "@carillon/contract";
import { readOwnUser } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(getOwnUser, ({ actor, services }) => readOwnUser(services.db, actor));
