import { getAvatar } from "@carillon/contract";
import { readAvatar } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.readsRaw(getAvatar, async ({ sql, input, path, actor }) => {
  const avatar = await readAvatar(sql, actor, path.user_id, input.s);
  // What it is depends on who asks.
  const headers = { "Cache-Control": "private, max-age=86400", Vary: "Authorization" };
  return "url" in avatar
    ? { status: 302, headers: { Location: avatar.url }, body: "" }
    : { headers: { ...headers, "Content-Type": "image/png" }, body: avatar.png };
});
