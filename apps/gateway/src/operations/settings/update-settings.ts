import { errors, updateSettings } from "@carillon/contract";
import { updateOwnSettings } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.inSteps(updateSettings, async ({ input, actor, services }) => {
  const {
    full_name: fullName,
    email,
    old_password: oldPassword,
    new_password: newPassword,
    timezone,
    default_language: defaultLanguage,
    target_users: targets,
    ...settings
  } = input;
  // Passing it over would change the caller's settings in place of those others'.
  if (targets !== undefined)
    throw errors.badRequest("target_users is not supported: everybody changes their own settings");
  await updateOwnSettings(services.db, services.site, services.guesses, actor, {
    fullName,
    email,
    oldPassword,
    newPassword,
    timezone,
    defaultLanguage,
    settings,
  });
});
