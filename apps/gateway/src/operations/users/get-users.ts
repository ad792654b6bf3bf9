import { getUsers } from "@carillon/contract";
import { listUsers } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(getUsers, async ({ input, actor, services }) => ({
  members: await listUsers(services.db, actor, input.user_ids, {
    siteUrl: services.site.url,
    clientGravatar: input.client_gravatar,
    profileFields: input.include_custom_profile_fields,
  }),
}));
