export { addAlertWords, removeAlertWords } from "./alert-words/change-words.ts";
export { listAlertWords } from "./alert-words/list-words.ts";
export {
  addNavigationView,
  removeNavigationView,
  updateNavigationView,
} from "./navigation-views/change-views.ts";
export { createDrafts, deleteDraft, updateDraft } from "./drafts/change-drafts.ts";
export { listDrafts } from "./drafts/list-drafts.ts";
export { requireSynchronization } from "./drafts/synchronization.ts";
export {
  createSavedSnippet,
  deleteSavedSnippet,
  updateSavedSnippet,
} from "./saved-snippets/change-snippets.ts";
export { listSavedSnippets } from "./saved-snippets/snippet.ts";
export { listNavigationViews } from "./navigation-views/list-views.ts";
export { deleteStorage } from "./bot-storage/delete-storage.ts";
export { EntriesText } from "./bot-storage/entries-text.ts";
export { measureStorage, storedParts } from "./bot-storage/read-storage.ts";
export { writeStorage } from "./bot-storage/write-storage.ts";
export { type BatchContext, type BatchOutcome, singleRequest } from "./batches/batch-outcome.ts";
export { botApiKey, changeBotApiKey } from "./bots/bot-api-key.ts";
export { createBot } from "./bots/create-bot.ts";
export { deactivateBot } from "./bots/deactivate-bot.ts";
export { listOwnBots } from "./bots/list-bots.ts";
export { updateBot } from "./bots/update-bot.ts";
export { createChannelFolder } from "./channel-folders/create-folder.ts";
export { reorderChannelFolders } from "./channel-folders/reorder-folders.ts";
export { updateChannelFolder } from "./channel-folders/update-folder.ts";
export { archiveChannel } from "./channels/archive/archive-channel.ts";
export { changeDefaultChannel } from "./channels/defaults/change-default-channel.ts";
export { addSubscriptions } from "./channels/subscriptions/add-subscriptions.ts";
export { createChannel } from "./channels/create/create-channel.ts";
export type { CreationOptions } from "./channels/create/creation-options.ts";
export { type NewChannel, insertChannel } from "./channels/create/insert-channel.ts";
export { readChannelsOfUser } from "./channels/read/channels-of-user.ts";
export { listChannels } from "./channels/read/list-channels.ts";
export { listSubscriptions } from "./channels/read/list-subscriptions.ts";
export {
  readChannel,
  readChannelId,
  readEmailAddress,
  readSubscribers,
  readSubscriptionStatus,
} from "./channels/read/read-channel.ts";
export { removeSubscriptions } from "./channels/subscriptions/remove-subscriptions.ts";
export { changeSubscriptions } from "./channels/subscriptions/subscription-properties.ts";
export { updateSubscriptions } from "./channels/subscriptions/update-subscriptions.ts";
export type { ChannelChanges } from "./channels/update/channel-changes.ts";
export { postNoticesOfChange } from "./channels/update/post-notices-of-change.ts";
export { sendChannelChangedNotices } from "./channels/update/send-notices-of-change.ts";
export { updateChannel } from "./channels/update/update-channel.ts";
export { countMessages } from "./channels/upkeep/count-traffic.ts";
export { keepUpChannels } from "./channels/upkeep/keep-up-channels.ts";
export { deleteStep, noteFailedStep } from "./deletion/delete-step.ts";
export { forgetDeletions } from "./deletion/forget-deletions.ts";
export { planDeletion } from "./deletion/plan-deletion.ts";
export { planPushBatch } from "./notifications/plan-pushes.ts";
export {
  prepareRemovals,
  preparePushes,
  type Notification,
  type PreparedCall,
} from "./notifications/prepare-pushes.ts";
export { recordOvertaken } from "./notifications/record-overtaken.ts";
export { changeComposition } from "./groups/composition.ts";
export { createUserGroup } from "./groups/create-group.ts";
export { deactivateUserGroup } from "./groups/deactivate-group.ts";
export { readMembers, readMembership, readSubgroups } from "./groups/read-group.ts";
export { updateUserGroup } from "./groups/update-group.ts";
export { createLinkifier } from "./linkifiers/create-linkifier.ts";
export { removeLinkifier } from "./linkifiers/remove-linkifier.ts";
export { reorderLinkifiers } from "./linkifiers/reorder-linkifiers.ts";
export { updateLinkifier } from "./linkifiers/update-linkifier.ts";
export { changeMessage } from "./messages/change/change-message.ts";
export { changeFlag } from "./messages/flags/change-flag.ts";
export { markReadLater, recordMarkRead } from "./messages/flags/mark-read-later.ts";
export { changeFlagInNarrow } from "./messages/marking/change-flag-in-narrow.ts";
export { markAsRead } from "./messages/marking/mark-as-read.ts";
export { listTopics } from "./messages/read/list-topics.ts";
export { matchMessages } from "./messages/read/match-messages.ts";
export { messageHistory } from "./messages/read/message-history.ts";
export { readMessage } from "./messages/read/read-message.ts";
export {
  presentMessages,
  presentPage,
  readMessages,
  readNextPage,
} from "./messages/read/read-messages.ts";
export { readReceipts } from "./messages/read/read-receipts.ts";
export { addReaction } from "./messages/reactions/add-reaction.ts";
export { removeReaction } from "./messages/reactions/remove-reaction.ts";
export { deleteMessage } from "./messages/removal/delete-message.ts";
export { deleteTopic } from "./messages/removal/delete-topic.ts";
export { purgeArchive } from "./messages/removal/purge-archive.ts";
export {
  type ArchivedRun,
  listArchivedRuns,
  type Restored,
  restoreMessages,
} from "./messages/removal/restore-messages.ts";
export { fileWords } from "./messages/search/file-words.ts";
export { indexMessages } from "./messages/search/index-messages.ts";
export { searchVector } from "./messages/search/search-vector.ts";
export { sendUnheardNotice } from "./messages/send/bot-trouble.ts";
export { addSubmessage } from "./messages/submessages/add-submessage.ts";
export { reportMessage } from "./messages/reports/report-message.ts";
export { checkMessages } from "./messages/send/check.ts";
export { renderText } from "./messages/send/render-text.ts";
export type { SentMessage } from "./messages/send/send.ts";
export { sendNow } from "./messages/send/send-now.ts";
export { type SendRequest, sendBatch } from "./messages/send/send-batch.ts";
export { muteUser, unmuteUser } from "./muted-users/mute-user.ts";
export { listMutedUsers } from "./muted-users/muted-users.ts";
export { sendChannelCreatedNotice } from "./notices/channel-created.ts";
export { sendGroupMembershipNotices } from "./notices/group-membership.ts";
export { sendSubscribedNotice } from "./notices/subscribed.ts";
export type { FieldChanges } from "./profile-fields/check-field.ts";
export { createProfileField } from "./profile-fields/create-field.ts";
export { deleteProfileField } from "./profile-fields/delete-field.ts";
export { reorderProfileFields } from "./profile-fields/reorder-fields.ts";
export { updateOwnProfile } from "./profile-fields/update-own-values.ts";
export { updateProfileField } from "./profile-fields/update-field.ts";
export { readPresence } from "./presence/read-presence.ts";
export { readPresences, usualHistoryLimit } from "./presence/read-presences.ts";
export { recordPresence } from "./presence/record-presence.ts";
export { type Admission, admitCall, noteAnswered, noteUnanswered } from "./push/bouncer/circuit.ts";
export { type Notified, noteNotified, refusesOrganization } from "./push/bouncer/after-notify.ts";
export { expireRegistrations, registrationExpired } from "./push/bouncer/expire-registrations.ts";
export { pendingRegistration, settleRegistration } from "./push/bouncer/registration.ts";
export { testPush } from "./push/bouncer/test-push.ts";
export { createDevice, removeDevice } from "./push/devices/change-devices.ts";
export { addLegacyToken, removeLegacyToken } from "./push/devices/legacy-tokens.ts";
export { registerPushDevice } from "./push/devices/register-push-device.ts";
export { removeLegacyTokensUpTo } from "./push/devices/remove-legacy-tokens.ts";
export { createOrganization } from "./realms/create-organization.ts";
export {
  type FirstAccount,
  type FirstAccountName,
  createFirstOrganization,
  firstAccounts,
} from "./realms/first-organization.ts";
export { createAccount } from "./operators/create-account.ts";
export { deactivateForOperator } from "./operators/deactivate-account.ts";
export {
  findNamedAccount,
  findNamedAccounts,
  findOrganization,
  listOrganizations,
  type NamedOrganization,
  noSubdomain,
} from "./operators/find.ts";
export { setLimits } from "./operators/limits.ts";
export { issueKeysAnew } from "./operators/issue-keys-anew.ts";
export { listAccounts, type ListedAccount } from "./operators/list-accounts.ts";
export { openOrganization } from "./operators/open-organization.ts";
export {
  type AuditFilter,
  type AuditLine,
  type AuditPage,
  readAudit,
} from "./operators/read-audit.ts";
export { replaceApiKey } from "./operators/replace-api-key.ts";
export { reseal } from "./operators/reseal.ts";
export {
  type FailedMessage,
  previewReschedule,
  rescheduleFailed,
  type ReschedulingResult,
} from "./operators/reschedule-failed.ts";
export { resetPassword } from "./operators/reset-password.ts";
export { updateRealm } from "./realms/update-realm.ts";
export { eventPresenter } from "./register/event-presenter.ts";
export { registerQueue } from "./register/register.ts";
export { sweepRetention } from "./retention/sweep-retention.ts";
export { createReminder } from "./scheduled/create-reminder.ts";
export { type ScheduleRequest, scheduleBatch } from "./scheduled/create.ts";
export { deleteReminder } from "./scheduled/delete-reminder.ts";
export { deleteScheduled } from "./scheduled/delete.ts";
export { deliveryBatch } from "./scheduled/delivery-options.ts";
export { deliverAll } from "./scheduled/delivery-run.ts";
export { editScheduled } from "./scheduled/edit.ts";
export { listScheduled, reminderListing, scheduledListing } from "./scheduled/list.ts";
export type { Outcome } from "./scheduled/outcome.ts";
export { emojiData, emojiDataUrl, emojiDataVersion } from "./server/emoji-data.ts";
export { serverSettings } from "./server/server-settings.ts";
export { serverVersion } from "./server/version.ts";
export { readOwnSettings } from "./settings/read-own.ts";
export { updateSettingsOfOthers } from "./settings/update-others.ts";
export { updateOwnSettings } from "./settings/update-own.ts";
export { updateSettingsDefaults } from "./settings/update-defaults.ts";
export { tellEditing } from "./typing/tell-editing.ts";
export { tellTyping } from "./typing/tell-typing.ts";
export { readStatus } from "./user-status/read-status.ts";
export { updateStatus } from "./user-status/update-status.ts";
export { updateStatusOfUser } from "./user-status/update-status-of-user.ts";
export { muteTopic, setTopicPolicy, unmuteTopic } from "./user-topics/set-topic-policy.ts";
export { fetchApiKey, fetchApiKeyForDevelopment } from "./users/api-key.ts";
export { type KeyHolder, type LoggedIn, authenticate, keyHolders } from "./users/authenticate.ts";
export { changeOwnApiKey } from "./users/change-api-key.ts";
export { checkSecretKey } from "./users/check-secret-key.ts";
export { createMember } from "./users/create-member.ts";
export { createUser } from "./users/create-user.ts";
export { deactivateOwnUser } from "./users/deactivate-own-user.ts";
export { addressChangeMail } from "./users/address-change-mail.ts";
export { confirmAddress, findWantedAddress } from "./users/confirm-address.ts";
export { deactivationMail } from "./users/deactivation-mail.ts";
export { type DeactivationActions, deactivateUser } from "./users/deactivate-user.ts";
export { type Guesses, anyGuesses } from "./users/guesses.ts";
export { type NewUser, insertUser } from "./users/insert-user.ts";
export { hashPassword, verifyPassword } from "./users/passwords.ts";
export { promoteMembers } from "./users/promote-members.ts";
export { reactivateUser } from "./users/reactivate-user.ts";
export { readAvatar } from "./users/read-avatar.ts";
export { listUsers, readOwnUser, readUser, readUserByEmail } from "./users/read-users.ts";
export { type UserChanges, updateUser } from "./users/update-user.ts";
