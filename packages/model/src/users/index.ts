export { type AccountFilter, accountSlices } from "./account-slices.ts";
export {
  type Account,
  accountColumns,
  accountOverrides,
  loadAccounts,
  type ActiveAccount,
  loadActiveAccounts,
} from "./account.ts";
export { findAccount, type Principals, loadPrincipals } from "./find-account.ts";
export {
  type Viewer,
  rolesSeeingAddress,
  showsAddressTo,
  visibilitiesSeenBy,
  hasSubdomains,
  hostOf,
  realmUrl,
  visibleToEveryone,
  isEmailAddress,
} from "./addresses.ts";
export {
  administerAsOwner,
  administerOrganization,
  checkIsAdministrator,
  checkAdministers,
  checkPowerfulBot,
  hasPowerOfOwners,
  hasPowerOfOwnersSql,
  checkOwnerRemains,
  lockOwnerSet,
  ownerRemains,
} from "./administration.ts";
export {
  type Picture,
  avatarSources,
  hasPublicGravatar,
  mediumUrl,
  ownPictureUrl,
  pictureOf,
  pictureUrl,
  showsPicture,
  uploadedUrl,
} from "./avatar.ts";
export {
  botsFollowingOwner,
  checkOwnerIsNoGuest,
  roleOfFormerGuestBots,
} from "./bots-of-guests.ts";
export { checkFullName, checkNameIsFree, checkVisible } from "./full-name.ts";
export {
  currentActor,
  lockAccountShared,
  lockAccount,
  lockAccountWithBots,
  lockAccountWithOwner,
  lockAccounts,
  noSuchUser,
  tryLockAccounts,
} from "./lock-account.ts";
export { loadOwnSettings, setting } from "./own-settings.ts";
export {
  personAdded,
  personUpdated,
  pictureUpdated,
  statusChanged,
  presentUser,
  userObject,
  type UserStatus,
  setFields,
  statusColumns,
} from "./present.ts";
export { restrictsGuests } from "../realms.ts";
export {
  type UserVisibility,
  fullUserVisibility,
  loadUserVisibility,
  unknownName,
  unknownPicture,
  unknownUser,
} from "./user-visibility.ts";
export {
  loadAccountAudience,
  lockAccountAudience,
  lockUserVisibility,
  guestsNotSeeing,
  guestsNotSeeingAll,
  notSeeingAmong,
  seesByChannel,
  sharesConversation,
} from "./visibility-audience.ts";
