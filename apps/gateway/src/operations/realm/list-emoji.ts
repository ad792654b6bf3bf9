import { listRealmEmoji } from "@carillon/contract";
import { handle } from "../../services.ts";

export default handle(listRealmEmoji, async () => ({ emoji: {} }));
