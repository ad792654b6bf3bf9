import {
  type DeliveredEvent,
  deliveredFaults,
  eventOf,
  kindOf,
  loggedFaults,
} from "@carillon/contract";
import type { EventQueue, LoggedEvent, Presenter } from "@carillon/events";

/**
 * The presenter, but whatever it makes is compared with the declarations, to the field: what the log has, and what a
 * queue with these capabilities and needs may get for it. A fault fails the test that is under way: the hub itself would only
 * leave the event out.
 */
export function checkedPresenter<Context>(presenter: Presenter<Context>): Presenter<Context> {
  return {
    ...presenter,
    present(event, queue, context, via) {
      const told = presenter.present(event, queue, context, via);
      const faults = told.flatMap((each) => deliveryFaults(each, event, queue));
      if (faults.length > 0)
        queueMicrotask(() => {
          throw new Error(
            `events are not as they are declared: ${[...new Set(faults)].join("; ")}`,
          );
        });
      return told;
    },
  };
}

/** Rows that were looked at already: a row goes to many queues. */
const checked = new WeakMap<LoggedEvent, readonly string[]>();

/** What is wrong with one event that a queue is told for a row of the log; empty where nothing is. */
export function deliveryFaults(
  told: DeliveredEvent,
  row: LoggedEvent,
  { options }: EventQueue,
): string[] {
  let inLog = checked.get(row);
  if (!inLog) checked.set(row, (inLog = loggedFaults(row)));
  return [
    ...inLog,
    ...substituted(told, row, options),
    ...deliveredFaults(told, options.capabilities, options.needs),
  ];
}

/** Another event than that of the row is for clients that lack a capability, where the declaration says so. */
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
