import { getEmojiData } from "@carillon/contract";
import { emojiData, emojiDataVersion } from "@carillon/domain";
import { handle } from "../../handle.ts";

const forEver = "public, max-age=31536000, immutable";

export default handle.readsRaw(getEmojiData, async ({ path }) => ({
  headers: {
    "Cache-Control": path.version === emojiDataVersion ? forEver : "no-cache",
  },
  body: emojiData,
}));
