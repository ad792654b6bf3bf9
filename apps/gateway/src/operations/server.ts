import * as contract from "@carillon/contract";
import { emojiData, emojiDataVersion, serverSettings } from "@carillon/domain";
import { handle } from "../handle.ts";

const forEver = "public, max-age=31536000, immutable";

export default [
  handle.reads(contract.getServerSettings, ({ sql, host, services }) =>
    serverSettings(sql, services.site, host),
  ),

  handle.readsRaw(contract.getEmojiData, async ({ path }) => ({
    headers: {
      "Cache-Control": path.version === emojiDataVersion ? forEver : "no-cache",
    },
    body: emojiData,
  })),
];
