import * as contract from "@carillon/contract";
import {
  createMember,
  deactivateOwnUser,
  deactivateUser,
  listUsers,
  reactivateUser,
  readAvatar,
  readOwnUser,
  readUser,
  readUserByEmail,
  updateUser,
  type UserChanges,
} from "@carillon/domain";
import { handle } from "../handle.ts";

/** Maps the changes of an account to the names that the rules use. */
function userChanges(input: contract.InputOf<typeof contract.updateUser>): UserChanges {
  const { role, full_name: fullName, profile_data: profileData, new_email: newEmail } = input;
  return { role, fullName, profileData, newEmail };
}

export default [
  handle.reads(contract.getUsers, async ({ sql, input, actor, services }) => ({
    members: await listUsers(sql, actor, input.user_ids, {
      siteUrl: services.site.url,
      clientGravatar: input.client_gravatar,
      profileFields: input.include_custom_profile_fields,
    }),
  })),

  handle.reads(contract.getUser, async ({ sql, input, path, actor, services }) => ({
    user: await readUser(sql, actor, path.user_id, {
      siteUrl: services.site.url,
      clientGravatar: input.client_gravatar,
      profileFields: input.include_custom_profile_fields,
    }),
  })),

  handle.reads(contract.getUserByEmail, async ({ sql, input, path, actor, services }) => ({
    user: await readUserByEmail(sql, actor, path.email, {
      siteUrl: services.site.url,
      clientGravatar: input.client_gravatar,
      profileFields: input.include_custom_profile_fields,
    }),
  })),

  handle.reads(contract.getOwnUser, ({ sql, actor, services }) =>
    readOwnUser(sql, services.site, actor),
  ),

  handle.readsRaw(contract.getAvatar, async ({ sql, input, path, actor, services }) => {
    const avatar = await readAvatar(sql, services.site, actor, path.user_id, input.s);
    // The picture depends on the caller.
    const headers = { "Cache-Control": "private, max-age=86400", Vary: "Authorization" };
    return "url" in avatar
      ? { status: 302, headers: { Location: avatar.url }, body: "" }
      : { headers: { ...headers, "Content-Type": "image/png" }, body: avatar.png };
  }),

  handle.inSteps(contract.createUser, async ({ input, actor, services }) => {
    const { email, password, full_name: fullName } = input;
    const userId = await createMember(services.db, services.site, actor, {
      email,
      password,
      fullName,
    });
    return { user_id: userId };
  }),

  handle.changes(contract.updateUser, ({ tx, input, path, actor, services }) =>
    updateUser(tx, services.site, actor, path.user_id, userChanges(input)),
  ),

  handle.changes(contract.updateUserByEmail, ({ tx, input, path, actor, services }) =>
    updateUser(tx, services.site, actor, path.email, userChanges(input)),
  ),

  handle.inSteps(contract.deactivateUser, ({ input, path, actor, services }) =>
    deactivateUser(services.db, actor, path.user_id, {
      actions: input.actions,
      comment: input.deactivation_notification_comment,
    }),
  ),

  handle.inSteps(contract.deactivateOwnUser, ({ actor, services }) =>
    deactivateOwnUser(services.db, actor),
  ),

  handle.changes(contract.reactivateUser, ({ tx, path, actor, services }) =>
    reactivateUser(tx, services.site, actor, path.user_id),
  ),
];
