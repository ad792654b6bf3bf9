import { getAvatar } from "@carillon/contract";
import { readAvatarUrl } from "@carillon/domain";
import { handleRaw } from "../../services.ts";

export default handleRaw(getAvatar, async ({ path, actor, services }) => ({
  status: 302,
  headers: { Location: await readAvatarUrl(services.db, actor, path.user_id) },
  body: "",
}));
