import { getUsers } from "@carillon/contract";
import { listUsers } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.reads(getUsers, async ({ sql, input, actor, services }) => ({
  members: await listUsers(sql, actor, input.user_ids, {
    siteUrl: services.site.url,
    clientGravatar: input.client_gravatar,
    profileFields: input.include_custom_profile_fields,
  }),
}));
