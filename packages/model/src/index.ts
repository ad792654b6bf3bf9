export { loadAfter } from "./load-after.ts";
export { type AuditEntry, recordAudit, writeAudit } from "./audit.ts";
export {
  type AdministeredBot,
  administratorsOfBots,
  loadAdministeredBots,
  botAddedEvent,
  botDeletedEvent,
  botUpdatedEvent,
  checkBotName,
  canCreateBot,
  shownServices,
} from "./bots.ts";
export {
  type PublicFacts,
  hasContentAccess,
  hasMetadataAccess,
  hasProtectedHistory,
  isPublic,
  canAdminister,
  readingPermissions,
  showingPermissions,
} from "./channels/access.ts";
export {
  accessFactsColumns,
  channelAdministrable,
  channelReadable,
  channelReadableBy,
  holdsPermission,
  hasSharedHistorySql,
  isPrivateSql,
  isPublicSql,
  isWebPublicSql,
  showingGroups,
} from "./channels/access-sql.ts";
export {
  audiencePart,
  lockAudiences,
  lockAudiencesShared,
  lockAudiencesSoon,
  tryLockAudiencesShared,
} from "./channels/audience-lock.ts";
export { type MessageIdsAt, messageIdsAt, messageIdSlackMs } from "./messages/message-id-at.ts";
export {
  type Channel,
  type ChannelGroups,
  channelColumns,
  channelGroupKeys,
  loadChannels,
  loadChannelsByName,
  loadManyChannels,
  type PackedChannel,
  packedChannel,
  unpackChannel,
} from "./channels/channel.ts";
export {
  type ChannelName,
  type ChannelNeed,
  findChannel,
  noSuchChannel,
  requireChannel,
} from "./channels/find-channel.ts";
export {
  normaliseColor,
  checkChannelName,
  checkDescription,
  maxChannelNameLength,
  maxDescriptionLength,
  renderChannelDescription,
} from "./channels/names.ts";
export { endDeferral, isAway, isDeferred } from "./channels/deferred-sql.ts";
export {
  type ContentAudiences,
  loadContentAudiences,
  type MetadataAudiences,
  loadAudienceShift,
  loadMetadataAudience,
  loadMetadataAudiences,
} from "./channels/audiences.ts";
export {
  defaultChannelsEvent,
  noDefaultChannelsEvent,
  ChannelPresenter,
  loadChannelPresenter,
  postPolicy,
} from "./channels/present.ts";
export {
  checkFolderDescription,
  checkFolderName,
  checkFolderNameIsFree,
  maxFolderDescriptionLength,
  maxFolderNameLength,
  listChannelFolders,
  loadChannelFolder,
} from "./channels/folders.ts";
export {
  type InheritedNotifications,
  fillNotifications,
  loadInheritedNotifications,
  type OwnFields,
  loadSubscribedChannels,
  loadSubscribers,
  loadSubscriptions,
  ownFields,
} from "./channels/subscriptions.ts";
export {
  type Subscription,
  type SubscriptionPair,
  lockChannelRows,
  lockChannels,
  subscribe,
  subscriptionColumns,
  unsubscribe,
  lockChannelsOf,
  markSubscriber,
} from "./channels/subscribe.ts";
export {
  loadAllMembers,
  loadAllSubgroups,
  loadPermissionClasses,
  loadSupergroups,
} from "./group-graph.ts";
export {
  groupEvents,
  type UserGroup,
  findUserGroup,
  findUserGroups,
  listUserGroups,
  loadUserGroup,
  checkGroupDescription,
  checkGroupName,
  checkNameIsUnused,
} from "./groups.ts";
export {
  endInvitations,
  endInvitationsOfMaker,
  endInvitationsToAddress,
  invitesChangedEvents,
  linksAtOnce,
  type LockedInvitation,
  lockInvitations,
} from "./invitations.ts";
export {
  type AccessibleMessage,
  accessMessages,
  noSuchMessage,
  requireMessage,
  type Reader,
  messageReadable,
} from "./messages/access.ts";
export {
  type PostingChannel,
  loadPostingChannels,
  loadPostingChannelsNamed,
} from "./messages/channel-facts.ts";
export {
  type SendingClient,
  clientIdOf,
  clientOfAccount,
  loadClientNames,
} from "./messages/clients.ts";
export {
  cutContent,
  maxMessageLength,
  normaliseContent,
  checkContentEditable,
  isPast,
} from "./messages/content.ts";
export {
  type CheckedMessage,
  type Destination,
  type MessageInput,
  type Target,
  channelsOf,
  type NumberedMessage,
  type OutgoingMessage,
  type MessageType,
  isChannelType,
  scheduledDestination,
} from "./messages/message-input.ts";
export { visibleEntries, loadHistoryShown } from "./messages/edit-history.ts";
export {
  checkChangeable,
  lockMessageAudience,
  lockMessageAfter,
  lockMessageAndReceivers,
} from "./messages/lock-message.ts";
export { loadMessageAudience } from "./messages/message-audience.ts";
export { type Reaction, loadReactions } from "./messages/reactions.ts";
export { type Submessage, loadSubmessages } from "./messages/submessages.ts";
export { anyMention, flag, flagNames } from "./messages/flags.ts";
export {
  storeTopicPolicies,
  isFollowed,
  isMuted,
  topicPolicyEvent,
  topicPolicyEvents,
  visibilityPolicy,
} from "./messages/topic-policies.ts";
export { type Person, loadPeople, personOf } from "./messages/people.ts";
export {
  type MessageForm,
  type PresentableMessage,
  type Presentation,
  type StoredMessage,
  commonFields,
  formFields,
  presentMessage,
  submessageObject,
} from "./messages/present.ts";
export {
  type DirectRecipient,
  type Members,
  ensureDirectRecipients,
  findDirectRecipients,
  memberHash,
  memberKey,
  membersOf,
} from "./messages/recipients.ts";
export {
  namedTopic,
  checkNewTopicVisible,
  checkTopicsPolicy,
  directTopic,
  hasInvisibleCharacters,
  maxTopicLength,
  normaliseTopic,
  possibleTopics,
  topicShownBy,
  isResolveToggle,
  resolvedPrefix,
  resolvedTopic,
} from "./messages/topic.ts";
export { type Fragment, SqlValues, allOf } from "./sql-values.ts";
export {
  type ChannelTopic,
  type TopicKey,
  countParticipants,
  existingTopics,
  foldedTopicKey,
  topicParticipants,
  exactTopicKey,
} from "./messages/topics.ts";
export { type Folding, askFolding, loadFolding } from "./fold-case.ts";
export { type VisibleMessage, loadVisibleMessages } from "./messages/seen-messages.ts";
export {
  type DeviceState,
  type PushDevice,
  type PushTokenKind,
  deviceColumns,
  deviceOverrides,
  deviceState,
  lockDevice,
} from "./push-device.ts";
export {
  isOrganizationAdministrator,
  Memberships,
  type PermissionSubject,
  loadMemberships,
  loadMembershipsWithOwners,
  type GroupSettingUpdates,
  type PermissionScope,
  scopes,
} from "./permissions/memberships.ts";
export {
  type ChangedGroupSetting,
  changeGroupSettings,
  isExpectedGroupValue,
} from "./permissions/change-group-settings.ts";
export { groupSettingRows } from "./permissions/check-group-settings.ts";
export {
  columnsOf,
  groupIds,
  canonicalGroupValue,
  loadGroupValues,
  sameGroupValue,
  type ListingGroupSetting,
  loadListingGroupSettings,
} from "./permissions/group-setting-values.ts";
export {
  lockGroupGraphShared,
  lockGroupGraph,
  loadNamedGroups,
} from "./permissions/lock-groups.ts";
export {
  dropAnonymousGroups,
  storeChangedGroupSettings,
  storeNewGroupSettings,
  defaultGroups,
  newGroupSettings,
} from "./permissions/store-group-settings.ts";
export {
  type SystemGroupIds,
  createSystemGroups,
  loadSystemGroups,
} from "./permissions/system-groups.ts";
export { listDomains } from "./organization-domains.ts";
export { type IdentityProvider, identityProviderFrom, usesProvider } from "./identity-provider.ts";
export { loadOrganizationSettings, storeOrganizationSettings } from "./organization-settings.ts";
export {
  type ProfileData,
  profileDataSql,
  type ProfileField,
  listProfileFields,
  loadProfileFields,
} from "./profile-fields.ts";
export {
  activeRealms,
  realmIconUrl,
  realmPictureEvent,
  legacyPolicies,
  linkifiersOf,
  listLinkifiers,
  type PushStatus,
  pushStatusEvents,
  realmPolicyEvent,
  realmUpdatedEvents,
  realmOfHost,
  lockOrganizationShared,
  lockOrganization,
  type Realm,
  loadRealm,
  continuesElsewhereSql,
} from "./realms.ts";
export {
  checkCreationBound,
  checkNewChannels,
  countCreated,
  creationKinds,
} from "./users/creation-bounds.ts";
export {
  settingChoices,
  languageName,
  loadRealmDefaults,
  ruleSettings,
  settingsColumns,
  storeSettings,
  switchSql,
  timezoneNamed,
} from "./settings.ts";
export { type Secrets, secretsOf, type Site, uploadLimits } from "./site.ts";
export * from "./users/index.ts";
export type * from "./statement-rows.ts";
