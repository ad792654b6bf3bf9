import {
  type DeliveredEvent,
  deliveredFaults,
  eventOf,
  kindOf,
  loggedFaults,
} from "@carillon/contract";
import type { EventQueue, LoggedEvent, Presenter } from "@carillon/events";

/**
 * Wraps a presenter so that each event is compared with its declaration, field by field: the log's row, and the form for a
 * queue's capabilities and needs. A fault fails the running test; the hub alone would only drop the event.
 */
export function checkedPresenter<Context>(presenter: Presenter<Context>): Presenter<Context> {
  return {
    ...presenter,
    present(event, queue, context, via) {
      const delivered = presenter.present(event, queue, context, via);
      const faults = delivered.flatMap((each) => deliveryFaults(each, event, queue));
      if (faults.length > 0)
        queueMicrotask(() => {
          throw new Error(
            `events are not as they are declared: ${[...new Set(faults)].join("; ")}`,
          );
        });
      return delivered;
    },
  };
}

/** Rows that were checked already; a row goes to many queues. */
const checked = new WeakMap<LoggedEvent, readonly string[]>();

/** Returns the faults of an event that a queue gets for a row of the log. */
export function deliveryFaults(
  delivered: DeliveredEvent,
  row: LoggedEvent,
  { options }: EventQueue,
): string[] {
  let inLog = checked.get(row);
  if (!inLog) checked.set(row, (inLog = loggedFaults(row)));
  return [
    ...inLog,
    ...substituted(delivered, row, options),
    ...deliveredFaults(delivered, options.capabilities, options.needs),
  ];
}

/** Whether the event is the declared substitute for clients that lack a capability. */
function substituted(
  { type, op }: DeliveredEvent,
  row: LoggedEvent,
  { capabilities }: EventQueue["options"],
): string[] {
  const declared = eventOf(row.type, row.op);
  if (!declared || (type === declared.type && op === declared.op)) return [];
  const has = new Set<string>(capabilities);
  const allowed = Object.entries(declared.older).some(
    ([capability, { becomes = [] }]) =>
      !has.has(capability) && becomes.some((other) => other.type === type && other.op === op),
  );
  return allowed ? [] : [`${kindOf(declared)} became ${kindOf({ type, op })}`];
}
