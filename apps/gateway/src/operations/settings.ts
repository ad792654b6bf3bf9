import * as contract from "@carillon/contract";
import {
  readOwnSettings,
  updateOwnSettings,
  updateSettingsDefaults,
  updateSettingsOfOthers,
} from "@carillon/domain";
import { handle } from "../handle.ts";

/** Fields that only `PATCH /settings` changes. */
const noOtherFields = {
  fullName: undefined,
  email: undefined,
  oldPassword: undefined,
  newPassword: undefined,
  timezone: undefined,
  defaultLanguage: undefined,
};

export default [
  handle.reads(contract.getSettings, async ({ sql, actor }) => ({
    user_settings: await readOwnSettings(sql, actor),
  })),

  handle.inSteps(contract.updateSettings, async ({ input, actor, services }) => {
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
    const wanted = {
      fullName,
      email,
      oldPassword,
      newPassword,
      timezone,
      defaultLanguage,
      settings,
    };
    const { db, site, guesses } = services;
    if (!targets) return updateOwnSettings(db, site, guesses, actor, wanted);
    const { user_ids: userIds, group_ids: groupIds, skip_if_already_edited: skipEdited } = targets;
    await db.transaction((tx) =>
      updateSettingsOfOthers(tx, actor, { userIds, groupIds, skipEdited }, wanted),
    );
  }),

  handle.inSteps(contract.updateNotificationSettings, ({ input, actor, services }) => {
    const { db, site, guesses } = services;
    return updateOwnSettings(db, site, guesses, actor, { ...noOtherFields, settings: input });
  }),

  handle.changes(contract.updateSettingsDefaults, ({ tx, input, actor }) =>
    updateSettingsDefaults(tx, actor, input),
  ),
];
