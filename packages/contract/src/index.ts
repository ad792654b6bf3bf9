export * from "./all-operations.ts";
export { refusalsOf } from "./answers.ts";
export * from "./api-reference.ts";
export * from "./api-error.ts";
export type { BotDefaults, BotObject, CreatedBot, OwnBot, UpdatedBot } from "./bots/bot-objects.ts";
export type { LongEntry, ShortEntries, StorageBatch } from "./bot-storage/storage-batches.ts";
export * from "./bounds.ts";
export type { ChannelFolderObject } from "./channel-folders/channel-folder-object.ts";
export type { ProfileFieldObject } from "./profile-fields/profile-field-object.ts";
export type { ChannelObject, SubscriptionObject } from "./channels/channel-object.ts";
export type { TopicsPolicy } from "./channels/topics-policies.ts";
export * from "./declared.ts";
export * from "./decode-input.ts";
export type { DraftResource, GivenDraft } from "./drafts/draft-object.ts";
export * from "./error-codes.ts";
export * from "./errors.ts";
export { secretNames } from "./secret-names.ts";
export * from "./events/all-events.ts";
export * from "./events/capabilities.ts";
export { type DeliveredEvent, deliveredFaults, loggedFaults } from "./events/catalogue.ts";
export * from "./events/declared.ts";
export type {
  DeclaredEvent,
  EventDeclaration,
  FieldsOf,
  LoggedFields,
  OlderForm,
  OwnFieldsOf,
  QueueEffect,
} from "./events/event.ts";
export { eventReference } from "./events/event-reference.ts";
export type { EventFields, EventShape, ValuesOf } from "./events/fields.ts";
export { type Audience, NewEvent } from "./events/new-event.ts";
export { beforeExamples } from "./examples/before.ts";
export { curlExample } from "./examples/curl.ts";
export * from "./form.ts";
export * from "./ids.ts";
export type { LinkifierObject } from "./linkifiers/linkifier-object.ts";
export { reportTypes } from "./messages/report-types.ts";
export { isCheckedWidget, widgetDataRefusal } from "./messages/widget-data.ts";
export * from "./open-api.ts";
export * from "./operation.ts";
export * from "./parameter.ts";
export * from "./path.ts";
export * from "./permissions/group-setting.ts";
export * from "./permissions/parameters.ts";
export * from "./permissions/permission.ts";
export * from "./permissions/registry.ts";
export * from "./permissions/supported.ts";
export * from "./permissions/system-groups.ts";
export * from "./program-needs.ts";
export type { DeviceObject } from "./push/device-object.ts";
export type { ReminderResource } from "./reminders/reminder-resource.ts";
export * from "./roles.ts";
export type { ScheduledMessageResource } from "./scheduled-messages/scheduled-message-resource.ts";
export type { SavedSnippet } from "./saved-snippets/snippet-object.ts";
export * from "./settings/parameters.ts";
export * from "./settings/registry.ts";
export * from "./shape.ts";
export * from "./strict-json.ts";
export type { UserGroupObject } from "./user-groups/user-group-object.ts";
export type { ProfileValue, UserObject } from "./users/user-object.ts";
