export * from "./all-operations.ts";
export { refusalsOf } from "./answers.ts";
export * from "./api-reference.ts";
export * from "./primitives/api-error.ts";
export {
  type LongEntry,
  maxStorageEntries,
  type ShortEntries,
  type StorageBatch,
} from "./operations/bot-storage/storage-batches.ts";
export * from "./primitives/bounds.ts";
export {
  channelObject,
  type ChannelObject,
  subscriptionObject,
  type SubscriptionObject,
} from "./operations/channel-object.ts";
export type { TopicsPolicy } from "./operations/channel-object.ts";
export * from "./primitives/decode-input.ts";
export * from "./primitives/error-codes.ts";
export * from "./primitives/errors.ts";
export { secretNames } from "./secret-names.ts";
export * from "./events/all-events.ts";
export * from "./primitives/capabilities.ts";
export { type DeliveredEvent, deliveredFaults, loggedFaults } from "./events/catalogue.ts";
export * from "./events/declared.ts";
export type {
  EventDeclaration,
  FieldsOf,
  LoggedFields,
  OwnFieldsOf,
  QueueEffect,
  SnapshotChange,
} from "./primitives/event.ts";
export { eventReference } from "./events/event-reference.ts";
export type { EventFields, EventShape, ValuesOf } from "./primitives/event-fields.ts";
export { type Audience, NewEvent } from "./primitives/new-event.ts";
export { beforeExamples } from "./examples/before.ts";
export { curlExample } from "./examples/curl.ts";
export { exampleOf, type WholeExample } from "./examples/example-of.ts";
export * from "./primitives/form.ts";
export * from "./primitives/ids.ts";
export { type Condition } from "./operations/conditions.ts";
export { isCheckedWidget, widgetDataRefusal } from "./operations/widgets.ts";
export * from "./open-api.ts";
export * from "./primitives/operation.ts";
export * from "./operations/declared.ts";
export { pageForm } from "./primitives/page.ts";
export * from "./primitives/parameter.ts";
export * from "./primitives/path.ts";
export * from "./permissions/group-setting.ts";
export * from "./permissions/parameters.ts";
export * from "./permissions/permission.ts";
export * from "./permissions/registry.ts";
export * from "./permissions/supported.ts";
export * from "./permissions/system-groups.ts";
export * from "./primitives/program-needs.ts";
export * from "./primitives/roles.ts";
export * from "./settings/organization-parameters.ts";
export * from "./settings/organization-registry.ts";
export type {
  OrganizationSetting,
  OrganizationSettingValue,
} from "./settings/organization-setting.ts";
export * from "./settings/parameters.ts";
export * from "./settings/registry.ts";
export * from "./primitives/shape.ts";
export * from "./primitives/strict-json.ts";
