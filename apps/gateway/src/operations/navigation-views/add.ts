import { addNavigationView } from "@carillon/contract";
import { addNavigationView as add } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(addNavigationView, ({ tx, input, actor }) => add(tx, actor, input));
