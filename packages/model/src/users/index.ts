export { type AccountFilter, accountSlices } from "./account-slices.ts";
export { type Account, accountColumns, accountRow, loadAccounts } from "./account.ts";
export { type ActiveAccount, loadActiveAccounts } from "./active-accounts.ts";
export {
  type Viewer,
  rolesSeeingAddress,
  showsAddressTo,
  visibilitiesSeenBy,
} from "./address-viewers.ts";
export { hasSubdomains, hostOf, realmUrl, visibleToEveryone } from "./addresses.ts";
export { administerOrganization } from "./administer-organization.ts";
export {
  checkAdministers,
  checkPowerfulBot,
  hasPowerOfOwners,
  hasPowerOfOwnersSql,
} from "./administration.ts";
export {
  type Picture,
  gravatarUrl,
  hasPublicGravatar,
  mediumUrl,
  pictureOf,
  pictureUrl,
  showsGravatar,
} from "./avatar.ts";
export { botsThatFollow, checkOwnerIsNoGuest, roleOfBotsComingBack } from "./bots-of-guests.ts";
export { isEmailAddress } from "./email-address.ts";
export { findAccount } from "./find-account.ts";
export { checkFullName, checkNameIsFree } from "./full-name.ts";
export { checkVisible } from "./reserved-names.ts";
export {
  currentActor,
  holdAccount,
  lockAccount,
  lockAccountWithBots,
  lockAccountWithOwner,
  lockAccounts,
  noSuchUser,
} from "./lock-account.ts";
export { loadOwnSettings } from "./own-settings.ts";
export { checkOwnerRemains, lockOwnerSet, ownerRemains } from "./owner-set.ts";
export { personAdded, personUpdated, pictureUpdated, statusChanged } from "./person-updated.ts";
export { presentUser, userObject } from "./present.ts";
export { type Principals, loadPrincipals } from "./principals.ts";
export { setting } from "./setting.ts";
export { restrictsGuests } from "../realms/restricts-guests.ts";
export {
  type Sight,
  fullSight,
  loadSight,
  unknownName,
  unknownPicture,
  unknownUser,
} from "./sight.ts";
export {
  audienceNow,
  audienceSeeing,
  changeSight,
  guestsNotSeeing,
  notSeeingAmong,
  seesByChannel,
  sharesConversation,
} from "./sight-audience.ts";
export { type UserStatus, setFields, statusColumns, statusRow } from "./user-status.ts";
