import { getAvatar } from "@carillon/contract";
import { readAvatar } from "@carillon/domain";
import { handleRaw } from "../../services.ts";

export default handleRaw(getAvatar, async ({ input, path, actor, services }) => {
  const avatar = await readAvatar(services.db, actor, path.user_id, input.s);
  // What it is depends on who asks.
  const headers = { "Cache-Control": "private, max-age=86400", Vary: "Authorization" };
  return "url" in avatar
    ? { status: 302, headers: { Location: avatar.url }, body: "" }
    : { headers: { ...headers, "Content-Type": "image/png" }, body: avatar.png };
});
