import { getUser } from "@carillon/contract";
import { readUser } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(getUser, async ({ sql, input, path, actor, services }) => ({
  user: await readUser(sql, actor, path.user_id, {
    siteUrl: services.site.url,
    clientGravatar: input.client_gravatar,
    profileFields: input.include_custom_profile_fields,
  }),
}));
