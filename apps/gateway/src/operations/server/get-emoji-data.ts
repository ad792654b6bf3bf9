import { getEmojiData } from "@carillon/contract";
import { emojiData, emojiDataVersion } from "@carillon/domain";
import { handleRaw } from "../../services.ts";

const forEver = "public, max-age=31536000, immutable";

export default handleRaw(getEmojiData, async ({ path }) => ({
  headers: {
    "Cache-Control": path.version === emojiDataVersion ? forEver : "no-cache",
  },
  body: emojiData,
}));
