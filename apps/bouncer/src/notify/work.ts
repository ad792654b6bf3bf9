import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { refusals } from "../http/refusal.ts";
import type { Services } from "../services.ts";
import {
  type CallName,
  claimCall,
  type NotificationState,
  type NotificationStates,
  markCall,
  recordCall,
} from "../store/calls.ts";
import type { Owner } from "../store/registrations.ts";
import { type Batch, handOver } from "./hand-over.ts";
import { matchRepeat } from "./match-repeat.ts";

/** Notifications handed over in parallel. This is also the maximum number of unsure outcomes if the process dies. */
export const batchSize = 100;

/** Milliseconds of a call within which batches may begin; the server waits for 15 s (push.md §4). */
const beginWithinMs = 6_000;

/** How long to wait for a call that another process works on, and how often to look, in milliseconds. */
const waitMs = 10_000;
const recheckMs = 200;

/** Hands over `todo` batch by batch, recording each batch before and after. */
async function workThrough(
  services: Services,
  owner: Owner,
  todo: Batch,
  write: {
    before(names: NotificationStates): Promise<boolean>;
    after(states: NotificationStates, over: boolean): Promise<void>;
  },
): Promise<NotificationStates> {
  const until = performance.now() + beginWithinMs;
  let states: NotificationStates = {};
  for (let from = 0; from < todo.length; from += batchSize) {
    const batch = todo.slice(from, from + batchSize);
    const late = performance.now() > until;
    const rest = late ? todo.slice(from) : batch;
    if (!late && !(await write.before(all(batch, "handing")))) throw refusals.underWay();
    const came = late ? all(rest, "undelivered") : await handOver(services, owner, rest);
    states = { ...states, ...came };
    const over = late || from + batchSize >= todo.length;
    await write.after(came, over);
    if (over) break;
  }
  return states;
}

/** Hands over the notifications of a call without an idempotency key. */
export function workOnce(
  services: Services,
  owner: Owner,
  batch: Batch,
): Promise<NotificationStates> {
  const write = { before: () => Promise.resolve(true), after: () => Promise.resolve() };
  return workThrough(services, owner, batch, write);
}

/**
 * Hands over the notifications of a call with an idempotency key. Each is recorded before it is handed over, so that none
 * is handed over twice. Waits up to {@link waitMs} while another process works on the same call.
 * @returns the outcomes of all notifications by name, those of earlier tries included
 * @throws Refusal when another process still works on it
 */
export async function workOnCall(
  services: Services,
  owner: Owner,
  call: CallName,
  batch: Batch,
): Promise<NotificationStates> {
  const { store } = services;
  const holder = randomUUID();
  const first = all(batch.slice(0, batchSize), "handing");
  const until = performance.now() + waitMs;
  let claimed = await claimCall(store, call, holder, first);
  while (!claimed) {
    if (performance.now() > until) throw refusals.underWay();
    await pause(recheckMs);
    claimed = await claimCall(store, call, holder, first);
  }
  const { fresh, devices } = claimed;
  const names = batch.map(([{ name }]) => name);
  const known: NotificationStates = fresh ? {} : matchRepeat(names, devices);
  const todo = batch.filter(([{ name }]) => (known[name] ?? "undelivered") === "undelivered");
  let marked = fresh;
  const came = await workThrough(services, owner, todo, {
    before: (names) => {
      // The claim of a new call has recorded its first batch.
      if (marked) return ((marked = false), Promise.resolve(true));
      return markCall(store, call, holder, names);
    },
    after: (states, over) => recordCall(store, call, holder, states, over),
  });
  if (todo.length === 0) await recordCall(store, call, holder, {}, true);
  return { ...known, ...came };
}

function all(batch: Batch, state: NotificationState): NotificationStates {
  return Object.fromEntries(batch.map(([{ name }]) => [name, state]));
}
