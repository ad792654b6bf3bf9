export { emit, eventsLogged } from "./emit.ts";
export { eventId, seqOf } from "./event-ids.ts";
export { lockEventLog } from "./lock-event-log.ts";
export { collectGarbage, type EventRetention } from "./garbage.ts";
export { EventHub, type HubOptions } from "./hub.ts";
export { oldestInLog, readHead, seqAtTime } from "./log.ts";
export type { Presenter } from "./present.ts";
export { type AccountSql, queueStatements } from "./queue-lookup.ts";
export type {
  EventQueue,
  LoggedEvent,
  NarrowTerm,
  NumberedEvent,
  QueueEvent,
  QueueOptions,
} from "./queue-options.ts";
export { readBatch, type BatchQueues, type EventBatch } from "./read-batch.ts";
export { aliveQueue, deleteQueue, evictQueues, insertQueue, readQueueBegin } from "./queues.ts";
export { connectWakeUps, type WakeUps } from "./wake-ups/wake-ups.ts";
export type * from "./statement-rows.ts";
