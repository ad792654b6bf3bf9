import { allOperations, exampleOf, type Operation } from "@carillon/contract";
import type {
  Gateway,
  GatewayClient,
  TestAccount,
  TestDatabase,
  TestOrganization,
} from "@carillon/testkit";

import type { Chance } from "../../../faults/support/chance.ts";

/** What the steps of a walk choose from; it grows while they go. */
export interface Walk {
  readonly db: Awaited<ReturnType<TestDatabase["connect"]>>;
  readonly org: TestOrganization;
  readonly gateways: readonly Gateway[];
  readonly chance: Chance;
  readonly course: Course;
  /** Those who act. */
  readonly accounts: TestAccount[];
  /** Ids of accounts that nobody acts as: newcomers and bots. */
  readonly others: number[];
  /** Ids of bots, also of the one that acts. */
  readonly bots: number[];
  readonly channels: Array<{ id: number; name: string }>;
  readonly groups: number[];
  /** Ids of folders of channels. */
  readonly folders: number[];
  readonly profileFields: Array<{ id: number; type: number }>;
  /** Ids of linkifiers; some are gone. */
  readonly linkifiers: number[];
  readonly scheduled: Array<{ id: number; by: TestAccount }>;
  readonly reminders: Array<{ id: number; by: TestAccount }>;
  readonly drafts: Array<{ id: number; by: TestAccount }>;
  readonly snippets: Array<{ id: number; by: TestAccount }>;
  /** Some are gone. */
  readonly devices: Array<{ id: number; by: TestAccount }>;
  /** Messages that were sent, and who did it; some are gone. */
  readonly messages: Array<{ id: number; by: TestAccount }>;
  /** What steps have made, by operation and field of the answer: `create-saved-snippet saved_snippet_id`. */
  readonly made: Map<string, Array<{ value: string | number; by: TestAccount }>>;
  /** How often each kind of step did something. */
  readonly done: Map<string, number>;
  /** What was done, in the order in which it began: the story that a failure tells. */
  readonly story: string[];
}

/** What a walk begins with; everything else is empty. */
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
    drafts: [],
    snippets: [],
    devices: [],
    messages: [],
    made: new Map(),
    done: new Map(),
    story: [],
  };
}

/** A step that is decided, to be taken at the same time as others. */
export type Step = () => Promise<void>;

/** Decides on a step. */
export interface Maker {
  /** Of the operation that it calls, if it calls one. */
  readonly id?: string;
  readonly make: (walk: Walk) => Step;
}

/** What a walk's steps are drawn from. */
export interface Course {
  /** Each as often as it is to be drawn beside the others. */
  readonly makers: readonly Maker[];
  /** How many different operations there are. */
  readonly operations: number;
}

/** A request of a walk, which may be refused as long as it is understood. */
export interface Asked {
  readonly by: TestAccount;
  readonly path?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Called with the answer if it was a success. */
  readonly onSuccess?: (answer: Readonly<Record<string, unknown>>) => void;
}

/** How a walk calls an operation. */
export interface WalkStep {
  readonly operation: Operation;
  /** How often it is chosen, beside the others. */
  readonly weight: number;
  /** Decides on a request; undefined while there is nothing to ask for. */
  readonly ask: (walk: Walk) => Asked | undefined;
}

/** @param ask decides on a request; undefined while there is nothing to ask for */
export function step(operation: Operation, weight: number, ask: WalkStep["ask"]): WalkStep {
  return { operation, weight, ask };
}

/** The step, decided. */
export function decide(walk: Walk, { operation, ask }: WalkStep): Step {
  const asked = ask(walk);
  if (!asked) return async () => undefined;
  const { by, onSuccess, ...options } = asked;
  const client: GatewayClient = pick(walk, walk.gateways).as(by);
  return async () => {
    const told = tell(
      walk,
      `${by.fullName} (${by.id}): ${operation.id} ${JSON.stringify(options)}`,
    );
    const { status, body } = await client.call(operation, options);
    told(status === 200 ? "done" : `${status} ${String(body["code"])}`);
    if (status >= 500)
      throw new Error(`${operation.id} answered ${status}: ${JSON.stringify(body)}`);
    if (status !== 200) return;
    walk.done.set(operation.id, (walk.done.get(operation.id) ?? 0) + 1);
    remember(walk, operation, by, body);
    onSuccess?.(body);
  };
}

/** The fields of answers that examples of other operations name, by the operation that answers. */
const namedLater: ReadonlyArray<readonly [id: string, field: string]> = [
  ...new Map(
    allOperations
      .flatMap((operation) => Object.values(exampleOf(operation).made))
      .map((each) => [each.join(" "), each]),
  ).values(),
];

/** Keeps what a step has made, for derived steps that name it. */
function remember(walk: Walk, operation: Operation, by: TestAccount, answer: object): void {
  for (const [id, field] of namedLater) {
    if (id !== operation.id) continue;
    const key = `${id} ${field}`;
    const [value] = [
      (answer as Readonly<Record<string, string | number | number[]>>)[field],
    ].flat();
    if (value === undefined) continue;
    walk.made.set(key, [...(walk.made.get(key) ?? []), { value, by }]);
  }
}

/**
 * Adds a line to the story.
 * @returns a function that says how it ended
 */
export function tell({ story }: Walk, what: string): (how: string) => void {
  const index = story.push(`${what} → not answered`) - 1;
  return (how) => void (story[index] = `${what} → ${how}`);
}

/** Everything that was done, in the words of a failure. */
export function storyOf({ story }: Walk): string {
  return `the steps, as they began:\n${story.map((line) => `  ${line}`).join("\n")}`;
}

export function pick<T>(walk: Walk, list: readonly T[]): T {
  return list.at(walk.chance.below(list.length))!;
}

/** One or two of a list, or none. */
export function some<T>(walk: Walk, list: readonly T[]): T[] {
  return list.filter(() => walk.chance.below(list.length) < 2);
}

export const maybe = (walk: Walk): boolean => walk.chance.below(2) === 0;
export const someone = (walk: Walk): TestAccount => pick(walk, walk.accounts);
export const idsOf = (accounts: readonly TestAccount[]): number[] => accounts.map(({ id }) => id);
/** An owner, an administrator, or one time in three anybody. */
export const someoneInCharge = (walk: Walk): TestAccount =>
  pick(walk, [walk.org.owner, walk.org.admin, someone(walk)]);
/** Any account's id, of people and bots. */
export const anyId = (walk: Walk): number =>
  pick(walk, [...new Set([...idsOf(walk.accounts), ...walk.others, ...walk.bots])]);

/** A group-setting value: a system group, a group of the walk, or a set. */
export function groupValue(walk: Walk): unknown {
  const system = Object.values(walk.org.groups);
  const set = { direct_members: idsOf(some(walk, walk.accounts)), direct_subgroups: [] };
  return pick(walk, [pick(walk, system), pick(walk, [...walk.groups, ...system]), set]);
}
