import { allOperations, exampleOf, type Operation } from "@carillon/contract";
import {
  unique,
  type Gateway,
  type GatewayClient,
  type TestAccount,
  type TestDatabase,
  type TestOrganization,
} from "@carillon/testkit";

import type { Chance } from "../../../faults/support/chance.ts";
import { madeValue } from "../made-value.ts";
import { askTwice } from "./repeated.ts";

/** The state from which the steps of a walk are drawn; it grows with the walk. */
export interface Walk {
  readonly db: Awaited<ReturnType<TestDatabase["connect"]>>;
  readonly org: TestOrganization;
  readonly gateways: readonly Gateway[];
  readonly chance: Chance;
  readonly course: Course;
  /** Accounts that make requests. */
  readonly accounts: TestAccount[];
  /** IDs of accounts that make no requests: new accounts and bots. */
  readonly others: number[];
  /** IDs of bots, including those that make requests. */
  readonly bots: number[];
  readonly channels: Array<{ id: number; name: string }>;
  readonly groups: number[];
  /** IDs of channel folders. */
  readonly folders: number[];
  readonly profileFields: Array<{ id: number; type: number }>;
  /** IDs of linkifiers, including deleted ones. */
  readonly linkifiers: number[];
  readonly scheduled: Array<{ id: number; by: TestAccount }>;
  readonly reminders: Array<{ id: number; by: TestAccount }>;
  /** Series with the accounts that created them, including deleted ones. */
  readonly series: Array<{ id: number; by: TestAccount }>;
  readonly drafts: Array<{ id: number; by: TestAccount }>;
  readonly snippets: Array<{ id: number; by: TestAccount }>;
  /** Includes deleted ones. */
  readonly devices: Array<{ id: number; by: TestAccount }>;
  /** Sent messages with their senders, including deleted ones. */
  readonly messages: Array<{ id: number; by: TestAccount }>;
  /** Things that steps created, by operation and response field: `create-saved-snippet saved_snippet_id`. */
  readonly made: Map<string, Array<{ value: string | number; by: TestAccount }>>;
  /** Number of successes by kind of step. */
  readonly done: Map<string, number>;
  /** The steps in the order in which they started, for failure messages. */
  readonly story: string[];
}

/** The initial state of a walk; everything else is empty. */
type Begun = Pick<
  Walk,
  "db" | "org" | "gateways" | "chance" | "course" | "accounts" | "channels" | "groups"
>;

export function beginWalk(begun: Begun): Walk {
  return {
    ...begun,
    others: [],
    bots: [begun.org.bot.id],
    folders: [],
    profileFields: [],
    linkifiers: [],
    scheduled: [],
    reminders: [],
    series: [],
    drafts: [],
    snippets: [],
    devices: [],
    messages: [],
    made: new Map(),
    done: new Map(),
    story: [],
  };
}

/** A drawn step, to be run concurrently with others. */
export type Step = () => Promise<void>;

/** Draws a step. */
export interface Maker {
  /** The ID of the operation that it calls, if any. */
  readonly id?: string;
  readonly make: (walk: Walk) => Step;
}

/** The kinds of steps of a walk. */
export interface Course {
  /** Each as often as its weight. */
  readonly makers: readonly Maker[];
  /** The number of different operations. */
  readonly operations: number;
  /** Every client names the opt-in types of events, instead of one in two. */
  readonly optsIn?: true;
}

/** A request of a walk, which may be refused. */
export interface Asked {
  readonly by: TestAccount;
  readonly path?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, Blob>>;
  /** Called with the response of a success. */
  readonly onSuccess?: (answer: Readonly<Record<string, unknown>>) => void;
}

/** How a walk calls an operation. */
export interface WalkStep {
  readonly operation: Operation;
  /** The weight in the draw. */
  readonly weight: number;
  /** Draws a request; undefined if there is nothing to request. */
  readonly ask: (walk: Walk) => Asked | undefined;
}

/** @param ask draws a request; undefined if there is nothing to request */
export function step(operation: Operation, weight: number, ask: WalkStep["ask"]): WalkStep {
  return { operation, weight, ask };
}

/** Draws the step's request. */
export function decide(walk: Walk, { operation, ask }: WalkStep): Step {
  const asked = ask(walk);
  if (!asked) return async () => undefined;
  const { by, onSuccess, ...options } = asked;
  const client: GatewayClient = pick(walk, walk.gateways).as(by);
  const repeat =
    operation.idempotencyKey && walk.chance.below(3) === 0
      ? { key: unique("walk"), by: pick(walk, walk.gateways).as(by), atOnce: maybe(walk) }
      : undefined;
  return async () => {
    const logOutcome = logStep(
      walk,
      `${by.fullName} (${by.id}): ${operation.id} ${JSON.stringify(options)}${repeat ? ", twice" : ""}`,
    );
    const { status, body } = await (repeat
      ? askTwice(operation, client, repeat, options)
      : client.call(operation, options));
    logOutcome(status === 200 ? "done" : `${status} ${String(body["code"])}`);
    if (status >= 500)
      throw new Error(`${operation.id} answered ${status}: ${JSON.stringify(body)}`);
    if (status !== 200) return;
    walk.done.set(operation.id, (walk.done.get(operation.id) ?? 0) + 1);
    remember(walk, operation, by, body);
    onSuccess?.(body);
  };
}

/** Response fields that examples of other operations refer to, with the operation that returns them. */
const namedLater: ReadonlyArray<readonly [id: string, field: string]> = [
  ...new Map(
    allOperations
      .flatMap((operation) => Object.values(exampleOf(operation).made))
      .map(([id, field]) => [`${id} ${field}`, [id, field] as const]),
  ).values(),
];

/** Stores what a step created, for derived steps that refer to it. */
function remember(walk: Walk, operation: Operation, by: TestAccount, answer: object): void {
  for (const [id, field] of namedLater) {
    if (id !== operation.id) continue;
    const key = `${id} ${field}`;
    const value = madeValue(answer, field);
    if (value === undefined) continue;
    walk.made.set(key, [...(walk.made.get(key) ?? []), { value, by }]);
  }
}

/**
 * Adds a line to the story.
 * @returns a function that records how it ended
 */
export function logStep({ story }: Walk, what: string): (how: string) => void {
  const index = story.push(`${what} → not answered`) - 1;
  return (how) => void (story[index] = `${what} → ${how}`);
}

/** The whole story, for a failure message. */
export function storyOf({ story }: Walk): string {
  return `the steps, as they began:\n${story.map((line) => `  ${line}`).join("\n")}`;
}

export function pick<T>(walk: Walk, list: readonly T[]): T {
  return list.at(walk.chance.below(list.length))!;
}

/** On average one or two items of a list. */
export function some<T>(walk: Walk, list: readonly T[]): T[] {
  return list.filter(() => walk.chance.below(list.length) < 2);
}

export const maybe = (walk: Walk): boolean => walk.chance.below(2) === 0;
export const someone = (walk: Walk): TestAccount => pick(walk, walk.accounts);
export const idsOf = (accounts: readonly TestAccount[]): number[] => accounts.map(({ id }) => id);
/** An owner, an administrator, or one time in three any account. */
export const someoneInCharge = (walk: Walk): TestAccount =>
  pick(walk, [walk.org.owner, walk.org.admin, someone(walk)]);
/** The ID of any account, of people and bots. */
export const anyId = (walk: Walk): number =>
  pick(walk, [...new Set([...idsOf(walk.accounts), ...walk.others, ...walk.bots])]);

/** A group-setting value: a system group, a group of the walk, or an anonymous group. */
export function groupValue(walk: Walk): unknown {
  const system = Object.values(walk.org.groups);
  const set = { direct_members: idsOf(some(walk, walk.accounts)), direct_subgroups: [] };
  return pick(walk, [pick(walk, system), pick(walk, [...walk.groups, ...system]), set]);
}
