import { getUser } from "@carillon/contract";
import { readUser } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(getUser, async ({ input, path, actor, services }) => ({
  user: await readUser(services.db, actor, path.user_id, {
    siteUrl: services.site.url,
    clientGravatar: input.client_gravatar,
    profileFields: input.include_custom_profile_fields,
  }),
}));
