import { getUserByEmail } from "@carillon/contract";
import { readUserByEmail } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(getUserByEmail, async ({ sql, input, path, actor, services }) => ({
  user: await readUserByEmail(sql, actor, path.email, {
    siteUrl: services.site.url,
    clientGravatar: input.client_gravatar,
    profileFields: input.include_custom_profile_fields,
  }),
}));
