export { type AuditEntry, recordAudit, writeAudit } from "./audit/audit.ts";
export {
  type Administered,
  administratorsOfBots,
  loadAdministeredBots,
} from "./bots/administered-bots.ts";
export { botAddedEvent, botDeletedEvent, botUpdatedEvent } from "./bots/bot-events.ts";
export { checkBotName } from "./bots/bot-name.ts";
export { mayCreateBot } from "./bots/bot-permission.ts";
export {
  type AccessFacts,
  type AdministrationFacts,
  type PublicFacts,
  hasContentAccess,
  hasMetadataAccess,
  hasProtectedHistory,
  isPublic,
  mayAdminister,
  readingPermissions,
  showingPermissions,
} from "./channels/access.ts";
export {
  accessFactsColumns,
  accessFactsRow,
  channelReadable,
  hasSharedHistorySql,
  isPrivateSql,
  isPublicSql,
  isWebPublicSql,
  showingGroups,
} from "./channels/access-sql.ts";
export {
  audiencePart,
  changeAudiences,
  holdAudiences,
  tryAudiences,
} from "./channels/audience-lock.ts";
export { messageIdAt, messageIdSlackMs } from "./messages/message-id-at.ts";
export {
  type Channel,
  type ChannelGroups,
  channelColumns,
  channelGroupKeys,
  channelRow,
  loadChannels,
  loadChannelsByName,
} from "./channels/channel.ts";
export { normaliseColor } from "./channels/colors.ts";
export { type ContentAudiences, loadContentAudiences } from "./channels/content-audience.ts";
export { defaultChannelsEvent, noDefaultChannelsEvent } from "./channels/default-channels-event.ts";
export {
  type ChannelName,
  type ChannelNeed,
  findChannel,
  noSuchChannel,
  requireChannel,
} from "./channels/find-channel.ts";
export {
  checkFolderDescription,
  checkFolderName,
  checkFolderNameIsFree,
  maxFolderDescriptionLength,
  maxFolderNameLength,
} from "./channels/folder-texts.ts";
export { listChannelFolders, loadChannelFolder } from "./channels/folders.ts";
export {
  type MetadataAudiences,
  loadAudienceShift,
  loadMetadataAudience,
  loadMetadataAudiences,
} from "./channels/metadata-audience.ts";
export {
  checkChannelName,
  checkDescription,
  maxChannelNameLength,
  maxDescriptionLength,
  renderChannelDescription,
} from "./channels/names.ts";
export {
  type InheritedNotifications,
  fillNotifications,
  loadInheritedNotifications,
} from "./channels/notification-settings.ts";
export {
  loadManyChannels,
  type PackedChannel,
  packedChannel,
  unpackChannel,
} from "./channels/packed.ts";
export { ChannelPresenter, loadChannelPresenter, postPolicy } from "./channels/present.ts";
export {
  type Subscription,
  type SubscriptionPair,
  lockChannelRows,
  lockChannels,
  subscribe,
  subscriptionColumns,
  subscriptionRow,
  unsubscribe,
} from "./channels/subscribe.ts";
export { lockChannelsOf, markSubscriber } from "./channels/subscriber-activity.ts";
export {
  type OwnFields,
  loadSubscribedChannels,
  loadSubscribers,
  loadSubscriptions,
  ownFields,
} from "./channels/subscriptions.ts";
export { loadAlike } from "./groups/alike.ts";
export { loadAllMembers, loadAllSubgroups, loadSupergroups } from "./groups/closures.ts";
export { groupEvents } from "./groups/group-events.ts";
export { type UserGroup, findUserGroup } from "./groups/group.ts";
export { listUserGroups, loadUserGroup } from "./groups/list-groups.ts";
export { checkGroupDescription } from "./groups/description.ts";
export { checkGroupName, checkNameIsUnused } from "./groups/names.ts";
export {
  type AccessibleMessage,
  accessMessages,
  noSuchMessage,
  requireMessage,
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
export { cutContent, maxMessageLength, normaliseContent } from "./messages/content.ts";
export {
  type CheckedMessage,
  type Destination,
  type Draft,
  type Target,
  channelsOf,
} from "./messages/draft.ts";
export { visibleEntries } from "./messages/edit-history.ts";
export { loadHistoryShown } from "./messages/history-since-move.ts";
export {
  type HeldMessage,
  checkChangeable,
  holdMessage,
  lockMessageAfter,
  lockToldMessage,
} from "./messages/lock-message.ts";
export { loadMessageAudience } from "./messages/message-audience.ts";
export { type Reaction, loadReactions } from "./messages/reactions.ts";
export { type Submessage, loadSubmessages } from "./messages/submessages.ts";
export { contentDeleteLimit } from "./messages/content-delete-limit.ts";
export { checkContentEditable, contentEditLimit } from "./messages/content-edit-limit.ts";
export { flag, flagNames } from "./messages/flags.ts";
export { moveLimit } from "./messages/move-limit.ts";
export { isFollowed, isMuted } from "./messages/muting.ts";
export type { NumberedMessage, OutgoingMessage } from "./messages/outgoing.ts";
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
  memberKey,
  membersOf,
} from "./messages/recipients.ts";
export {
  type MessageType,
  isChannelType,
  scheduledDestination,
} from "./messages/scheduled-destination.ts";
export { namedTopic } from "./messages/named-topic.ts";
export { type Fragment, SqlValues, allOf } from "./sql/sql-values.ts";
export {
  checkNewTopicVisible,
  checkTopicsPolicy,
  directTopic,
  hidesCharacters,
  maxTopicLength,
  normaliseTopic,
  possibleTopics,
  topicShownBy,
} from "./messages/topic.ts";
export {
  type ChannelTopic,
  type TopicKey,
  countParticipants,
  existingTopics,
  topicName,
  topicParticipants,
  topicSpelling,
} from "./messages/topics.ts";
export { type Folding, askFolding, loadFolding } from "./folding/fold-case.ts";
export { isResolveToggle, resolvedPrefix } from "./messages/resolved-topic.ts";
export type { Reader } from "./messages/reader.ts";
export { type SeenMessage, seenMessages } from "./messages/seen-messages.ts";
export { topicPolicyEvent, topicPolicyEvents } from "./messages/topic-policy-event.ts";
export { visibilityPolicy } from "./messages/visibility-policy.ts";
export { messageReadable } from "./messages/visibility.ts";
export {
  type DeviceState,
  type PushDevice,
  type PushTokenKind,
  deviceColumns,
  deviceRow,
  deviceState,
  lockDevice,
} from "./push/device.ts";
export { isOrganizationAdministrator } from "./permissions/administrators.ts";
export {
  type ChangedGroupSetting,
  changeGroupSettings,
} from "./permissions/change-group-settings.ts";
export { groupSettingRows } from "./permissions/check-group-settings.ts";
export { columnsOf, groupIds } from "./permissions/columns.ts";
export {
  canonicalGroupValue,
  loadGroupValues,
  sameGroupValue,
} from "./permissions/group-setting-values.ts";
export { holdGroupGraph, lockGroupGraph, loadNamedGroups } from "./permissions/lock-groups.ts";
export {
  Memberships,
  type PermissionSubject,
  loadMemberships,
  loadMembershipsWithOwners,
} from "./permissions/memberships.ts";
export {
  type ListingGroupSetting,
  loadListingGroupSettings,
} from "./permissions/listing-group-settings.ts";
export {
  dropAnonymousGroups,
  storeChangedGroupSettings,
  storeNewGroupSettings,
} from "./permissions/store-group-settings.ts";
export { defaultGroups, newGroupSettings } from "./permissions/new-group-settings.ts";
export {
  type GroupSettingUpdates,
  type PermissionOf,
  type PermissionScope,
  scopes,
} from "./permissions/scopes.ts";
export {
  type SystemGroupIds,
  createSystemGroups,
  loadSystemGroups,
} from "./permissions/system-groups.ts";
export { type ProfileData, profileDataSql } from "./profile-fields/profile-data.ts";
export {
  type ProfileField,
  listProfileFields,
  loadProfileFields,
} from "./profile-fields/profile-fields.ts";
export { activeRealms } from "./realms/active-realms.ts";
export {
  checkCreationBound,
  checkNewChannels,
  countCreated,
  creationKinds,
} from "./users/creation-bounds.ts";
export { realmIconUrl } from "./realms/icon.ts";
export { legacyPolicies } from "./realms/legacy-policies.ts";
export { linkifiersOf, listLinkifiers } from "./realms/linkifiers.ts";
export {
  type PushStatus,
  pushStatusEvents,
  realmPolicyEvent,
  realmUpdatedEvents,
} from "./realms/realm-events.ts";
export { realmOfHost } from "./realms/realm-of-host.ts";
export { holdOrganization, lockOrganization } from "./realms/lock-organization.ts";
export { type EditHistoryPolicy, type Realm, loadRealm } from "./realms/realm.ts";
export { settingChoices } from "./settings/choices.ts";
export { languageName } from "./settings/languages.ts";
export { loadRealmDefaults } from "./settings/realm-defaults.ts";
export { initialDefaults, notificationSounds, personalSettings } from "./settings/registry.ts";
export { ruleSettings, settingsColumns, storeSettings } from "./settings/storage.ts";
export { switchSql } from "./settings/switch-sql.ts";
export { timezoneNamed } from "./settings/timezones.ts";
export { type Secrets, secretsOf } from "./site/secrets.ts";
export type { Site } from "./site/site.ts";
export * from "./users/index.ts";
