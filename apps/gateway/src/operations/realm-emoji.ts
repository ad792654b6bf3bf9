import * as contract from "@carillon/contract";
import { addEmoji, checkNewEmoji, deactivateEmoji, listEmoji } from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.reads(contract.listRealmEmoji, async ({ sql, actor }) => ({
    emoji: await listEmoji(sql, actor.realmId),
  })),

  handle.withPicture(
    contract.addRealmEmoji,
    {
      kind: "emoji",
      types: ["image/avif", "image/gif", "image/jpeg", "image/png", "image/webp"],
      before: async ({ sql, actor, path }) =>
        (await checkNewEmoji(sql, actor, path.emoji_name)).refusal,
      change: ({ tx, actor, path, pictures }) => addEmoji(tx, actor, path.emoji_name, pictures),
    },
    () => ({}),
  ),

  handle.changes(contract.deactivateRealmEmoji, ({ tx, actor, path }) =>
    deactivateEmoji(tx, actor, path.emoji_name),
  ),
];
