export { ApiError, type ClientErrorCode } from "./api-error.ts";
export type { CallOptions } from "./call-options.ts";
export { Client, type ClientOptions, type OperationId } from "./client.ts";
export type {
  EventOptions,
  EventStream,
  EventType,
  Missed,
  Position,
  Registered,
  StreamEvent,
} from "./event-stream.ts";
export type * from "./generated/api.ts";
export { replyTo, type Recipients } from "./reply-to.ts";
export type { Snapshot, SnapshotLists } from "./snapshot.ts";
export { parseZuliprc } from "./zuliprc.ts";
