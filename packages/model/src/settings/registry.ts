/** The settings are declared with the operations that take them. */
export {
  initialDefaults,
  notificationSounds,
  personalSettings,
  type PersonalSetting,
  type SettingName,
  type SettingValue,
} from "@carillon/contract";
