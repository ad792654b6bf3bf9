import { type Params, type Scene, succeeded, type TestAccount, unique } from "@carillon/testkit";

export const groupGrants = [
  "can_add_members_group",
  "can_join_group",
  "can_leave_group",
  "can_manage_group",
  "can_remove_members_group",
] as const;
export const realmGrants = ["can_manage_all_groups", "can_create_groups"] as const;
export type Grant = (typeof groupGrants)[number] | (typeof realmGrants)[number];

export type Value = number | { direct_members: number[]; direct_subgroups: number[] };

/** The accounts and groups of every scene, besides the tested account. */
export interface Cast {
  readonly scene: Scene;
  /** Holds every permission, creates the groups and restores them. */
  readonly keeper: TestAccount;
  /** A member of every tested group. */
  readonly insider: TestAccount;
  /** A member of no tested group. */
  readonly outsider: TestAccount;
  /** A subgroup of every tested group, and a group that is in none. */
  readonly part: number;
  readonly spare: number;
}

/** Creates a group as the keeper. */
export async function keptGroup(
  { scene, keeper }: Omit<Cast, "part" | "spare">,
  params: Params = {},
) {
  const asked = { name: unique("kept"), description: "", members: [], ...params };
  const body = succeeded(await scene.as(keeper).post("/api/v1/user_groups/create", asked));
  return Number(body["group_id"]);
}

export const setOf = (...members: TestAccount[]): Value => ({
  direct_members: members.map(({ id }) => id),
  direct_subgroups: [],
});

/** The ways in which an account can hold a permission; the keeper always holds it. */
export const ways: Readonly<Record<string, (cast: Cast, who: TestAccount) => Promise<Value>>> = {
  "listed in the setting": async ({ keeper }, who) => setOf(keeper, who),
  "in the named group": (cast, who) => keptGroup(cast, { members: [cast.keeper.id, who.id] }),
  "three groups deep": async (cast, who) => nested(cast, who),
  "in a group of a set": async (cast, who) => ({
    direct_members: [cast.keeper.id],
    direct_subgroups: [cast.spare, await nested(cast, who)],
  }),
};

async function nested(cast: Cast, who: TestAccount): Promise<number> {
  const lowest = await keptGroup(cast, { members: [who.id] });
  const middle = await keptGroup(cast, { subgroups: [lowest] });
  return keptGroup(cast, { members: [cast.keeper.id], subgroups: [middle] });
}

export interface GroupOperation {
  readonly title: string;
  /** Holders of one of these are allowed, besides managers of the group; undefined: all accounts but guests. */
  readonly grants: readonly Grant[] | undefined;
  readonly on?: "deactivated" | "joined";
  request(cast: Cast, who: TestAccount, groupId: number): [string, string, Params?];
  /** The keeper's request that restores the group. */
  undo?(cast: Cast, who: TestAccount, groupId: number): [string, string, Params?];
}

const manage: readonly Grant[] = ["can_manage_group", "can_manage_all_groups"];
const group = (id: number) => `/api/v1/user_groups/${id}`;
const members = (id: number, params: Params): [string, string, Params] => [
  "POST",
  `${group(id)}/members`,
  params,
];
const subgroups = (id: number, params: Params): [string, string, Params] => [
  "POST",
  `${group(id)}/subgroups`,
  params,
];

/** Every row of user-groups.md §4. */
export const groupOperations: readonly GroupOperation[] = [
  { title: "list", grants: undefined, request: () => ["GET", "/api/v1/user_groups"] },
  {
    title: "read members",
    grants: undefined,
    request: (_, __, id) => ["GET", `${group(id)}/members`],
  },
  {
    title: "read subgroups",
    grants: undefined,
    request: (_, __, id) => ["GET", `${group(id)}/subgroups`],
  },
  {
    title: "read a membership",
    grants: undefined,
    request: ({ insider }, _, id) => ["GET", `${group(id)}/members/${insider.id}`],
  },
  {
    title: "create",
    grants: ["can_create_groups"],
    request: () => [
      "POST",
      "/api/v1/user_groups/create",
      { name: unique("made"), description: "", members: [] },
    ],
  },
  {
    title: "rename",
    grants: manage,
    request: (_, __, id) => ["PATCH", group(id), { name: unique("renamed") }],
  },
  {
    title: "change a permission",
    grants: manage,
    request: (_, { id: who }, id) => [
      "PATCH",
      group(id),
      { can_mention_group: { new: { direct_members: [who], direct_subgroups: [] } } },
    ],
  },
  {
    title: "reactivate",
    grants: manage,
    on: "deactivated",
    request: (_, __, id) => ["PATCH", group(id), { deactivated: false }],
  },
  {
    title: "deactivate",
    grants: manage,
    request: (_, __, id) => ["POST", `${group(id)}/deactivate`],
    undo: (_, __, id) => ["PATCH", group(id), { deactivated: false }],
  },
  {
    title: "add somebody",
    grants: [...manage, "can_add_members_group"],
    request: ({ outsider }, _, id) => members(id, { add: [outsider.id] }),
    undo: ({ outsider }, _, id) => members(id, { delete: [outsider.id] }),
  },
  {
    title: "join",
    grants: [...manage, "can_add_members_group", "can_join_group"],
    request: (_, who, id) => members(id, { add: [who.id] }),
    undo: (_, who, id) => members(id, { delete: [who.id] }),
  },
  {
    title: "join with somebody",
    grants: [...manage, "can_add_members_group"],
    request: ({ outsider }, who, id) => members(id, { add: [who.id, outsider.id] }),
    undo: ({ outsider }, who, id) => members(id, { delete: [who.id, outsider.id] }),
  },
  {
    title: "remove somebody",
    grants: [...manage, "can_remove_members_group"],
    request: ({ insider }, _, id) => members(id, { delete: [insider.id] }),
    undo: ({ insider }, _, id) => members(id, { add: [insider.id] }),
  },
  {
    title: "leave",
    grants: [...manage, "can_remove_members_group", "can_leave_group"],
    on: "joined",
    request: (_, who, id) => members(id, { delete: [who.id] }),
    undo: (_, who, id) => members(id, { add: [who.id] }),
  },
  {
    title: "leave with somebody",
    grants: [...manage, "can_remove_members_group"],
    on: "joined",
    request: ({ insider }, who, id) => members(id, { delete: [who.id, insider.id] }),
    undo: ({ insider }, who, id) => members(id, { add: [who.id, insider.id] }),
  },
  {
    title: "add somebody while leaving",
    grants: manage,
    on: "joined",
    request: ({ outsider }, who, id) => members(id, { add: [outsider.id], delete: [who.id] }),
    undo: ({ outsider }, who, id) => members(id, { add: [who.id], delete: [outsider.id] }),
  },
  {
    title: "add a subgroup",
    grants: [...manage, "can_add_members_group"],
    request: ({ spare }, _, id) => subgroups(id, { add: [spare] }),
    undo: ({ spare }, _, id) => subgroups(id, { delete: [spare] }),
  },
  {
    title: "add a subgroup as to members",
    grants: [...manage, "can_add_members_group"],
    request: ({ spare }, _, id) => members(id, { add_subgroups: [spare] }),
    undo: ({ spare }, _, id) => members(id, { delete_subgroups: [spare] }),
  },
  {
    title: "remove a subgroup",
    grants: manage,
    request: ({ part }, _, id) => subgroups(id, { delete: [part] }),
    undo: ({ part }, _, id) => subgroups(id, { add: [part] }),
  },
  {
    title: "remove a subgroup as from members",
    grants: manage,
    request: ({ part }, _, id) => members(id, { delete_subgroups: [part] }),
    undo: ({ part }, _, id) => members(id, { add_subgroups: [part] }),
  },
];
