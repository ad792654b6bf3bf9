import { listRealmEmoji } from "@carillon/contract";
import { handle } from "../../handle.ts";

export default handle.reads(listRealmEmoji, async () => ({ emoji: {} }));
