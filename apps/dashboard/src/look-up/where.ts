import type { AccountView, ChannelView } from "./find-places.ts";

/** Search conditions: accounts, channels, a span of UNIX seconds; at least one is given. */
export interface Where {
  readonly accounts?: readonly Pick<AccountView, "id" | "realmId">[];
  readonly channels?: readonly Pick<ChannelView, "id" | "recipientId" | "realmId">[];
  readonly span?: readonly [from: number, to: number];
}

/** Maximum number of results of each kind: pending, failed, sent, withheld. */
export const maxRows = 50;
/** Maximum number of scanned rows of an account, a channel or a time if no index covers all conditions. */
export const looked = 5_000;

/** Parameters of a composed statement, in their order. */
export class Values {
  readonly list: unknown[] = [];
  /** Adds a value of a type. @returns its place in the text */
  add(value: unknown, type: string): string {
    return `$${this.list.push(value)}::${type}`;
  }
}

export const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

/** Writes the condition that a time is within a span of UNIX seconds. */
export function within(values: Values, column: string, span: readonly [number, number]): string {
  const [from, to] = span.map((time) => `to_timestamp(${values.add(time, "float8")})`);
  return `${column} BETWEEN ${from} AND ${to}`;
}

/** Example searches, for the test that describes statements. */
export const exampleWheres: readonly Where[] = [
  { accounts: [{ id: 1, realmId: 1 }] },
  { channels: [{ id: 1, recipientId: 1, realmId: 1 }] },
  { span: [1, 2] },
  {
    accounts: [{ id: 1, realmId: 1 }],
    channels: [{ id: 1, recipientId: 1, realmId: 1 }],
    span: [1, 2],
  },
];
