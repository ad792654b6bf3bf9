export * from "./declared.ts";
export type * from "./statement-rows.ts";
export { addAlertWords, removeAlertWords, listAlertWords } from "./alert-words/alert-words.ts";
export {
  type BatchContext,
  type BatchOutcome,
  rejected,
  singleRequest,
} from "./batches/batch-outcome.ts";
export { type EndpointRequest, prepareCall } from "./bot-webhooks/prepare-call.ts";
export { maxAnswerBytes, readAnswer, type Verdict } from "./bot-webhooks/read-answer.ts";
export {
  answeringClient,
  type MadeAttempt,
  settleCall,
  type SettledCall,
} from "./bot-webhooks/settle-call.ts";
export { listDeliveries, readWebhook, rotateWebhook } from "./bots/bot-service.ts";
export { botApiKey, changeBotApiKey, deactivateBot, listOwnBots } from "./bots/bots.ts";
export { createBot } from "./bots/create-bot.ts";
export { updateBot } from "./bots/update-bot.ts";
export { addSubscriptions } from "./channels/add-subscriptions.ts";
export { archiveChannel } from "./channels/archive-channel.ts";
export { postNoticesOfChange, sendChannelChangedNotices } from "./channels/change-notices.ts";
export { createChannel } from "./channels/create-channel.ts";
export { changeDefaultChannel } from "./channels/default-channels.ts";
export { type CreationOptions, type NewChannel, insertChannel } from "./channels/insert-channel.ts";
export { keepUpChannels } from "./channels/keep-up-channels.ts";
export { listSubscriptions } from "./channels/list-subscriptions.ts";
export {
  readChannelsOfUser,
  listChannels,
  readChannel,
  readChannelId,
  readEmailAddress,
  readSubscribers,
  readSubscriptionStatus,
} from "./channels/read-channels.ts";
export { removeSubscriptions, updateSubscriptions } from "./channels/remove-subscriptions.ts";
export { changeSubscriptions } from "./channels/subscription-properties.ts";
export { countMessages } from "./channels/traffic.ts";
export { updateChannel } from "./channels/update-channel.ts";
export { deleteStep, noteFailedStep } from "./deletion/delete-step.ts";
export { forgetDeletions } from "./deletion/forget-deletions.ts";
export { planDeletion } from "./deletion/plan-deletion.ts";
export { addEmoji, checkNewEmoji, deactivateEmoji, listEmoji } from "./emoji/realm-emoji.ts";
export { logAttempt } from "./event-subscriptions/attempt-log.ts";
export {
  forgetBatch,
  newBatchId,
  type SentBatch,
  storeBatch,
} from "./event-subscriptions/batch-progress.ts";
export {
  claimSubscription,
  type ClaimedSubscription,
  readDestination,
  readPlace,
  returnSubscription,
  type SubscriptionDestination,
} from "./event-subscriptions/claim-batch.ts";
export { listSubscriptionDeliveries } from "./event-subscriptions/deliveries.ts";
export { eventRequest } from "./event-subscriptions/event-request.ts";
export {
  createSubscription,
  deleteSubscription,
  listSubscriptionsOfBot,
  rotateSubscriptionSecret,
  showSubscription,
  updateSubscription,
} from "./event-subscriptions/manage-subscriptions.ts";
export {
  sendSubscriptionNotice,
  recordFailureNotices,
} from "./event-subscriptions/owner-notices.ts";
export { queuePing } from "./event-subscriptions/ping.ts";
export { readySubscriptions, subscriptionLag } from "./event-subscriptions/ready-subscriptions.ts";
export { replaySubscription } from "./event-subscriptions/replay.ts";
export { selectBatch } from "./event-subscriptions/select-batch.ts";
export {
  acknowledgeAndGoOn,
  maxEventAnswerBytes,
  reasonOf,
  settleBatch,
  type SettledBatch,
} from "./event-subscriptions/settle-batch.ts";
export {
  addAttachment,
  addAttachments,
  newAttachment,
  type NewAttachment,
  type StoredFile,
} from "./files/add-attachments.ts";
export { deleteAttachment, listAttachments } from "./files/attachments.ts";
export { contentTypeOf, mediaTypeOf, sniffedBytes } from "./files/content-type.ts";
export {
  fileByPath,
  type FileRequest,
  readableFiles,
  requireFile,
  type StoredFileRow,
} from "./files/file-access.ts";
export { fileName, safeName, newPathId } from "./files/file-names.ts";
export {
  finishImage,
  imageOf,
  type ImageOutcome,
  requireThumbnail,
  type ThumbnailFormat,
  thumbnailKeysSql,
} from "./files/images.ts";
export { findUnclaimed, removeUnclaimed } from "./files/remove-unclaimed.ts";
export {
  addResumablePart,
  beginResumable,
  expireResumable,
  findResumable,
  finishResumable,
  joinResumableParts,
  leaseResumable,
  listResumableParts,
  maxResumable,
  type NewResumable,
  newResumableId,
  releaseResumable,
  removeResumable,
  renewResumable,
  resumableLeaseMs,
  resumableMs,
  type ResumableUpload,
  setResumableTail,
} from "./files/resumable-uploads.ts";
export { checkQuota } from "./files/storage-used.ts";
export {
  claimDueObjects,
  claimUnused,
  forgetObjects,
  reservationMs,
  reserveObjects,
} from "./files/stored-objects.ts";
export { readTemporaryAddress, temporaryUrl } from "./files/temporary-url.ts";
export { thumbnailsOf } from "./files/thumbnail-formats.ts";
export { changeComposition } from "./groups/composition.ts";
export { createUserGroup } from "./groups/create-group.ts";
export { readMembers, readMembership, readSubgroups } from "./groups/read-group.ts";
export { deactivateUserGroup, updateUserGroup } from "./groups/update-group.ts";
export { clearExpiredKeys } from "./idempotency/clear-keys.ts";
export {
  findEarlierOutcome,
  type IdempotencyKey,
  isKeyConflict,
  type KeyState,
  storeAnswers,
  StoredAnswer,
  takeKey,
  tryKeys,
} from "./idempotency/idempotency-key.ts";
export { createImportedOrganization } from "./imports/create-imported-organization.ts";
export { recordImportedThumbnails } from "./imports/record-thumbnails.ts";
export {
  type ImportedRendering,
  type ImportedText,
  renderImported,
} from "./imports/render-imported.ts";
export { resendInvitation, revokeInvitation } from "./invitations/change-invitations.ts";
export type { WantedOffer } from "./invitations/check-offer.ts";
export { clearInvitations } from "./invitations/clear-invitations.ts";
export { joinOrganization } from "./invitations/join.ts";
export { invitationPages, listInvitations } from "./invitations/list-invitations.ts";
export { invitationMail } from "./invitations/mail.ts";
export { mailPersonalLink, makeSignUpLink } from "./invitations/make-links.ts";
export { createReusableLink } from "./invitations/reusable-links.ts";
export { sendInvitations } from "./invitations/send-invitations.ts";
export { findUsableLink, isOpenForSignUp, type Link } from "./invitations/usable-links.ts";
export { makeTicket, takeTicket } from "./login-tickets/tickets.ts";
export { addSubmessage } from "./messages/add-submessage.ts";
export { addReaction, removeReaction } from "./messages/reactions.ts";
export { reportMessage } from "./messages/report-message.ts";
export { changeMessage } from "./messages/change/change-message.ts";
export { dropPreviews, rewritePreviews } from "./messages/change/rewrite-previews.ts";
export { deferCopiesOfAbsent } from "./messages/deferred/defer-copies.ts";
export { loadDeferralState } from "./messages/deferred/deferral-state.ts";
export { makeMissedCopies, recordVisits, runMakeCopiesStep } from "./messages/deferred/visits.ts";
export { changeFlag } from "./messages/flags/change-flag.ts";
export { runMarkReadStep, recordMarkRead } from "./messages/flags/mark-read-step.ts";
export { changeFlagInNarrow, markAsRead } from "./messages/marking/mark-messages.ts";
export { listTopics } from "./messages/read/list-topics.ts";
export { matchMessages } from "./messages/read/match-messages.ts";
export { messageHistory, readMessage, readReceipts } from "./messages/read/read-message.ts";
export {
  presentMessages,
  presentPage,
  readMessages,
  readNextPage,
} from "./messages/read/read-messages.ts";
export { purgeArchive } from "./messages/removal/archive-messages.ts";
export { deleteMessage, deleteTopic } from "./messages/removal/delete-messages.ts";
export {
  listArchivedRuns,
  type RestoreSelection,
  restoreMessages,
} from "./messages/removal/restore-messages.ts";
export {
  indexMessages,
  mergePendingWords,
  searchVector,
  topicWords,
} from "./messages/search/search-vector.ts";
export { sendNoSubscribersNotice } from "./messages/send/bot-trouble.ts";
export { checkMessages } from "./messages/send/check.ts";
export { renderText } from "./messages/send/render-text.ts";
export type { SendRequest } from "./messages/send/send-batch.ts";
export {
  reportMissingChannel,
  reportToOwner,
  sendNow,
  sendTogether,
} from "./messages/send/send-now.ts";
export type { SentMessage } from "./messages/send/send.ts";
export { clearBindings } from "./messages/upsert/bindings.ts";
export { sendOrEditBatch } from "./messages/upsert/send-or-edit.ts";
export { followLogs } from "./missed-messages/follow-log.ts";
export { missedMail } from "./missed-messages/missed-mail.ts";
export { recordDueMails } from "./missed-messages/record-due.ts";
export { findUnsubscribe, type UnsubscribeHolder } from "./missed-messages/unsubscribe-token.ts";
export { unsubscribe } from "./missed-messages/unsubscribe.ts";
export { testWelcome } from "./notices/custom-welcome.ts";
export {
  sendChannelCreatedNotice,
  sendGroupMembershipNotices,
  sendInvitationAcceptedNotice,
  sendSignupNotice,
  sendSubscribedNotice,
} from "./notices/send.ts";
export { planPushBatch } from "./notifications/plan-pushes.ts";
export {
  prepareRemovals,
  preparePushes,
  type Notification,
  type PreparedCall,
} from "./notifications/prepare-pushes.ts";
export { recordOvertaken } from "./notifications/record-removals.ts";
export {
  createAccount,
  deactivateForOperator,
  listAccounts,
  type ListedAccount,
  makeOwner,
  reactivateForOperator,
  replaceApiKey,
  resetPassword,
} from "./operators/accounts.ts";
export {
  disableSubscription,
  listSubscriptionViews,
  resumeSubscription,
  type SubscriptionView,
} from "./operators/event-subscriptions.ts";
export { issueKeysAnew, reseal } from "./operators/keys.ts";
export {
  closeEventLog,
  isAfterLastEvent,
  listUnfinishedMoves,
  makeReadOnly,
  movedOrganizations,
  redirectOrganization,
  reopenOrganization,
  unfinishedWork,
} from "./operators/move-organization.ts";
export {
  changeDomains,
  findNamedAccount,
  findNamedAccounts,
  findOrganization,
  listOrganizations,
  type NamedOrganization,
  noSubdomain,
  setLimits,
  openOrganization,
  whyUnfinished,
} from "./operators/organizations.ts";
export { pauseSeriesForOperator } from "./operators/pause-series.ts";
export {
  type AuditFilter,
  type AuditLine,
  type AuditPage,
  readAudit,
} from "./operators/read-audit.ts";
export {
  type FailedMessage,
  previewReschedule,
  rescheduleFailed,
  type ReschedulingResult,
} from "./operators/reschedule-failed.ts";
export { retireOrganization } from "./operators/retire-organization.ts";
export {
  type DeadCall,
  discardDeadCalls,
  type EndpointView,
  listDeadCalls,
  listEndpoints,
  retryDeadCalls,
} from "./operators/webhooks.ts";
export {
  claimCall,
  type ClaimedCall,
  conversationKey,
  giveUpOldCalls,
  returnCall,
} from "./outgoing-calls/claim-call.ts";
export { clearCalls, readOutgoing, readyCalls, repairCalls } from "./outgoing-calls/ready-calls.ts";
export {
  isTrial,
  recordEndpointAnswered,
  recordEndpointUnanswered,
  releaseSlot,
  takeSlot,
} from "./outgoing-calls/slots.ts";
export { findReset } from "./password-resets/find-reset.ts";
export { makeLinkOfReset } from "./password-resets/make-reset-link.ts";
export { loginOfAddress, requestReset } from "./password-resets/request-reset.ts";
export { resetByLink } from "./password-resets/reset-by-link.ts";
export { passwordChangedMail, resetMail } from "./password-resets/reset-mails.ts";
export { changeAvatar, checkAvatarChange, removeAvatar } from "./pictures/avatars.ts";
export {
  clearRequests,
  finishedRequests,
  finishRequest,
  isPictureOverdue,
  type MadePicture,
  type PictureOutcome,
  requestPictures,
  takeRequest,
  waitingRequest,
} from "./pictures/picture-requests.ts";
export { changeRealmPicture, defaultLogo } from "./pictures/realm-pictures.ts";
export { deleteFormerPictures, requirePicture } from "./pictures/stored-pictures.ts";
export type { FieldChanges } from "./profile-fields/check-field.ts";
export {
  createProfileField,
  deleteProfileField,
  reorderProfileFields,
  updateProfileField,
} from "./profile-fields/profile-fields.ts";
export { updateOwnProfile } from "./profile-fields/values.ts";
export {
  type NotifiedAccounts,
  applyNotifyOutcome,
  refusesOrganization,
} from "./push/bouncer/after-notify.ts";
export {
  type Admission,
  admitCall,
  recordAnswered,
  recordUnanswered,
} from "./push/bouncer/circuit.ts";
export {
  expireRegistrations,
  registrationExpired,
  pendingRegistration,
  settleRegistration,
} from "./push/bouncer/registration.ts";
export { testPush } from "./push/bouncer/test-push.ts";
export { createDevice, removeDevice } from "./push/devices/devices.ts";
export {
  addLegacyToken,
  removeLegacyToken,
  removeLegacyTokensUpTo,
} from "./push/devices/legacy-tokens.ts";
export { registerPushDevice } from "./push/devices/register-push-device.ts";
export { offeredProvider, enableMethods } from "./realms/authentication-methods.ts";
export { createOrganization, checkSubdomain } from "./realms/create-organization.ts";
export { deactivateOrganization, setDeactivated } from "./realms/deactivate-organization.ts";
export { addDomain, removeDomain, updateDomain } from "./realms/domains.ts";
export {
  type FirstAccount,
  type FirstAccountName,
  createFirstOrganization,
  firstAccounts,
} from "./realms/first-organization.ts";
export { organizationDeactivationMail } from "./realms/organization-deactivation-mail.ts";
export { updateRealm } from "./realms/update-realm.ts";
export { eventPresenter } from "./register/event-presenter.ts";
export { registerQueue } from "./register/register.ts";
export { sweepRetention } from "./retention/sweep-retention.ts";
export { checkIn, checkInAtSeries } from "./scheduled/check-in.ts";
export { createReminder } from "./scheduled/create-reminder.ts";
export { type ScheduleRequest, scheduleBatch } from "./scheduled/create.ts";
export { deleteReminder } from "./scheduled/delete-reminder.ts";
export { deleteScheduled } from "./scheduled/delete.ts";
export { deliveryBatch } from "./scheduled/delivery-options.ts";
export { deliverAll } from "./scheduled/delivery-run.ts";
export { editScheduled } from "./scheduled/edit.ts";
export {
  listConditions,
  listFailures,
  listScheduled,
  reminderListing,
  scheduledListing,
} from "./scheduled/list.ts";
export type { Outcome, UnreadFailure } from "./scheduled/outcome.ts";
export { clearWithheld, listWithheld } from "./scheduled/withheld.ts";
export {
  deleteSeries,
  pauseSeries,
  resumeSeries,
  skipOccurrence,
  takeOverSeries,
} from "./scheduled/series/change-state.ts";
export {
  type CreatedSeries,
  createSeries,
  type SeriesEdit,
  timezoneOf,
} from "./scheduled/series/create-series.ts";
export { editSeries } from "./scheduled/series/edit-series.ts";
export { SeriesRepair, SeriesTimes } from "./scheduled/series/keep-up-series.ts";
export { listOccurrences, listSeries } from "./scheduled/series/list-series.ts";
export { previewSchedule } from "./scheduled/series/schedule.ts";
export { sendSeries } from "./scheduled/series/send-series.ts";
export { answerCommand, botClient, CommandRefused } from "./scheduling-bot/answer-command.ts";
export { updateSettingsDefaults } from "./settings/update-defaults.ts";
export { updateSettingsOfOthers } from "./settings/update-others.ts";
export { readOwnSettings, updateOwnSettings } from "./settings/update-own.ts";
export {
  type Attempt,
  clearAttempts,
  newSignInKey,
  type PendingName,
  storeAttempt,
  takeAttempt,
} from "./sign-in/attempts.ts";
export type { Identity } from "./sign-in/identity.ts";
export { identityLinkedMail, signedInMail } from "./sign-in/mails.ts";
export {
  signIn,
  type SignedIn,
  type SignInOutcome,
  type SignInRefusal,
} from "./sign-in/sign-in.ts";
export type { NameNeeded } from "./sign-in/sign-up.ts";
export {
  fetchApiKey,
  fetchApiKeyForDevelopment,
  fetchApiKeyOfToken,
  changeOwnApiKey,
  type Guesses,
  logIn,
  unlimitedGuesses,
} from "./users/api-key.ts";
export { type KeyHolder, type LoggedIn, authenticate, keyHolders } from "./users/authenticate.ts";
export { addressChangeMail, confirmAddress, findWantedAddress } from "./users/change-address.ts";
export { checkSecretKey } from "./users/check-secret-key.ts";
export { createMember, createUser } from "./users/create-user.ts";
export {
  deactivateOwnUser,
  type DeactivationActions,
  deactivateUser,
} from "./users/deactivate-user.ts";
export { deactivationMail } from "./users/deactivation-mail.ts";
export { runEndInvitationsStep } from "./users/end-invitations.ts";
export { insertUser, type NewUser } from "./users/insert-user.ts";
export {
  checkPassword,
  hashPassword,
  isPasswordHash,
  passwordLength,
  verifyPassword,
} from "./users/passwords.ts";
export { promoteMembers } from "./users/promote-members.ts";
export { reactivateUser } from "./users/reactivate-user.ts";
export {
  readAvatar,
  listUsers,
  readOwnUser,
  readUser,
  readUserByEmail,
} from "./users/read-users.ts";
export { type UserChanges, updateUser } from "./users/update-user.ts";
