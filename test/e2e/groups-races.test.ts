import {
  type Answer,
  createTestDatabase,
  type Gateway,
  groupState,
  organization,
  type Params,
  startGateway,
  succeeded,
  type TestAccount,
  type TestDatabase,
  type TestOrganization,
  unique,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

import { withChance, type Chance } from "../faults/support/chance.ts";
import { nth } from "./support/nth.ts";

type Database = Awaited<ReturnType<TestDatabase["connect"]>>;
type Value = number | { direct_members: number[]; direct_subgroups: number[] };

/** Rounds of each race; the winner differs between rounds. */
const rounds = 10;

// user-groups.md §1, concurrency: over two gateways that share only the database.
describe("Concurrent changes of user groups over two gateways", () => {
  let database: TestDatabase | undefined;
  let db: Database;
  let gateways: Gateway[] = [];
  let org: TestOrganization;
  let second: TestAccount;

  before("start two gateways", async () => {
    database = await createTestDatabase();
    db = await database.connect();
    gateways = [];
    for (let n = 0; n < 2; n++) gateways.push(await startGateway(await database.connect()));
    org = await organization(db);
    second = await user(db, org.realm, { role: 100 });
  });
  after("stop them", async () => {
    for (const gateway of gateways) await gateway.close();
    await database?.drop();
  });

  let turn = 0;
  /** Sends each request to the gateway that the previous one did not use. */
  const client = (account: TestAccount) => nth(gateways, turn++).as(account);
  const path = (id: number, rest = "") => `/api/v1/user_groups/${id}${rest}`;
  const owners = () => [org.owner, second] as const;

  async function made(params: Params = {}): Promise<number> {
    const group = { name: unique("racing"), description: "", members: [], ...params };
    const answer = await client(org.owner).post("/api/v1/user_groups/create", group);
    return Number(succeeded(answer)["group_id"]);
  }

  interface Shown extends Record<string, unknown> {
    readonly id: number;
    readonly deactivated: boolean;
    readonly is_system_group: boolean;
    readonly direct_subgroup_ids: readonly number[];
  }

  async function shownGroups(): Promise<Shown[]> {
    const params = { include_deactivated_groups: true };
    const answer = await client(org.owner).get("/api/v1/user_groups", params);
    return succeeded(answer)["user_groups"] as Shown[];
  }

  async function shownGroup(id: number): Promise<Shown> {
    const group = (await shownGroups()).find((each) => each.id === id);
    if (!group) throw new Error(`there is no group ${id}`);
    return group;
  }

  /** `done`, or the error code. */
  const outcome = ({ status, body, text }: Answer): string => {
    expect(status, text).to.be.lessThan(500);
    return status === 200 ? "done" : (body.code ?? text);
  };

  /** Sends the requests in an order that differs between rounds. */
  async function race(requests: ReadonlyArray<() => Promise<Answer>>, round: number) {
    const order = requests.map((_, n) => (n + round) % requests.length);
    const answers = await Promise.all(
      order.map(async (n) => [n, await nth(requests, n)()] as const),
    );
    const outcomes: string[] = [];
    for (const [n, answer] of answers) outcomes[n] = outcome(answer);
    return outcomes;
  }

  async function expectNoCircle(): Promise<void> {
    const below = new Map((await shownGroups()).map((each) => [each.id, each.direct_subgroup_ids]));
    const visit = (id: number, above: readonly number[]): void => {
      expect(above, "groups above a group do not contain it").not.to.include(id);
      for (const sub of below.get(id) ?? []) visit(sub, [...above, id]);
    };
    for (const id of below.keys()) visit(id, []);
  }

  it("one old value with several new ones: the first request is applied as a whole", async () => {
    for (let round = 0; round < rounds; round++) {
      const id = await made();
      const old = org.groups["role:nobody"];
      const values: Value[] = [
        org.groups["role:owners"],
        org.groups["role:members"],
        { direct_members: [org.guest.id], direct_subgroups: [] },
        { direct_members: [org.member.id], direct_subgroups: [id] },
      ];
      const requests = values.map(
        (value, n) => () =>
          client(nth(owners(), n % 2)).patch(path(id), {
            description: `${n}`,
            can_join_group: { new: value, old },
          }),
      );
      const outcomes = await race(requests, round);
      const winner = outcomes.indexOf("done");
      expect(outcomes.toSorted()).to.deep.equal([
        ...Array<string>(values.length - 1).fill("EXPECTATION_MISMATCH"),
        "done",
      ]);
      const group = await shownGroup(id);
      expect(group["can_join_group"]).to.deep.equal(values[winner]);
      expect(group["description"]).to.equal(`${winner}`);
    }
  });

  it("one old value of the organization's: the first request is applied", async () => {
    const setting = "can_create_groups";
    let old: Value = org.groups["role:members"];
    for (let round = 0; round < rounds; round++) {
      const values: Value[] = [
        await made(),
        { direct_members: [org.admin.id], direct_subgroups: [await made()] },
      ];
      const requests = values.map(
        (value, n) => () =>
          client(nth(owners(), n)).patch("/api/v1/realm", { [setting]: { new: value, old } }),
      );
      const back = { [setting]: { new: org.groups["role:members"] } };
      const outcomes = await race(requests, round);
      expect(outcomes.toSorted()).to.deep.equal(["EXPECTATION_MISMATCH", "done"]);
      const now = nth(values, outcomes.indexOf("done"));
      const check = await client(org.owner).patch("/api/v1/realm", {
        [setting]: { ...back[setting], old: now },
      });
      expect(succeeded(check)[setting]).to.equal(org.groups["role:members"]);
      old = org.groups["role:members"];
    }
  });

  it("subgroups that would form a cycle: all but one are added", async () => {
    for (let round = 0; round < rounds; round++) {
      const length = 2 + (round % 3);
      const groups: number[] = [];
      for (let n = 0; n < length; n++) groups.push(await made());
      const requests = groups.map((id, n) => () => {
        const sub = nth(groups, n + 1);
        const by = client(nth(owners(), n % 2));
        return n % 2 === 0
          ? by.post(path(id, "/subgroups"), { add: [sub] })
          : by.post(path(id, "/members"), { add_subgroups: [sub] });
      });
      const outcomes = await race(requests, round);
      expect(outcomes.toSorted()).to.deep.equal([
        "BAD_REQUEST",
        ...Array<string>(length - 1).fill("done"),
      ]);
      await expectNoCircle();
    }
  });

  const uses: Readonly<Record<string, (group: number, other: number) => Promise<Answer>>> = {
    "a group's permission": (group, other) =>
      client(second).patch(path(other), { can_join_group: { new: group } }),
    "a part of a group's permission": (group, other) =>
      client(second).patch(path(other), {
        can_leave_group: { new: { direct_members: [org.guest.id], direct_subgroups: [group] } },
      }),
    "its own permission": (group) =>
      client(second).patch(path(group), { can_manage_group: { new: group } }),
    "a subgroup": (group, other) =>
      client(second).post(path(other, "/subgroups"), { add: [group] }),
    "a subgroup of a new group": (group) =>
      client(second).post("/api/v1/user_groups/create", {
        name: unique("racing"),
        description: "",
        members: [],
        subgroups: [group],
      }),
    "a new group's permission": (group) =>
      client(second).post("/api/v1/user_groups/create", {
        name: unique("racing"),
        description: "",
        members: [],
        can_mention_group: group,
      }),
    "a new channel's permission": (group) =>
      client(second).post("/api/v1/channels/create", {
        name: unique("racing"),
        subscribers: [],
        can_send_message_group: group,
      }),
    "a part of a new channel's permission": (group) =>
      client(second).post("/api/v1/users/me/subscriptions", {
        subscriptions: [{ name: unique("racing") }],
        can_subscribe_group: { direct_members: [org.member.id], direct_subgroups: [group] },
      }),
    "the organization's permission": (group) =>
      client(second).patch("/api/v1/realm", { can_create_groups: { new: group } }),
  };
  for (const [use, request] of Object.entries(uses))
    it(`deactivation while the group becomes ${use}: one of the two is applied`, async () => {
      for (let round = 0; round < rounds; round++) {
        const [group, other] = [await made(), await made()];
        const outcomes = await race(
          [() => client(org.owner).post(path(group, "/deactivate")), () => request(group, other)],
          round,
        );
        const { deactivated } = await shownGroup(group);
        // A deactivated group may be changed, but may not become its own value.
        expect(outcomes).to.deep.equal(
          deactivated ? ["done", "BAD_REQUEST"] : ["CANNOT_DEACTIVATE_GROUP_IN_USE", "done"],
        );
        const members = { can_create_groups: { new: org.groups["role:members"] } };
        succeeded(await client(org.owner).patch("/api/v1/realm", members));
      }
    });

  it("a name, a membership, a subgroup or a deactivation: applied once", async () => {
    for (let round = 0; round < rounds; round++) {
      const [id, sub] = [await made(), await made()];
      const twice = (request: (by: TestAccount) => Promise<Answer>) =>
        race([() => request(owners()[0]), () => request(owners()[1])], round);
      const name = unique("wanted");
      const once = [
        await twice((by) =>
          client(by).post("/api/v1/user_groups/create", { name, description: "", members: [] }),
        ),
        await twice((by) => client(by).post(path(id, "/members"), { add: [org.member.id] })),
        await twice((by) => client(by).post(path(id, "/members"), { delete: [org.member.id] })),
        await twice((by) => client(by).post(path(id, "/subgroups"), { add: [sub] })),
        await twice((by) => client(by).post(path(id, "/subgroups"), { delete: [sub] })),
        await twice((by) => client(by).post(path(id, "/deactivate"))),
      ];
      for (const outcomes of once)
        expect(outcomes.toSorted()).to.deep.equal(["BAD_REQUEST", "done"]);
      const wanted = unique("wanted");
      const other = await made();
      const renamed = await race(
        [
          () => client(org.owner).patch(path(sub), { name: wanted }),
          () => client(second).patch(path(other), { name: wanted }),
        ],
        round,
      );
      expect(renamed.toSorted()).to.deep.equal(["BAD_REQUEST", "done"]);
    }
  });

  it("roles of one account: it ends in one role's group, and is a full member if the role says so", async () => {
    const groupOf: Readonly<Record<number, string>> = {
      200: "role:administrators",
      300: "role:moderators",
      400: "role:members",
    };
    for (let round = 0; round < rounds; round++) {
      const { id } = await user(db, org.realm);
      const outcomes = await race(
        [300, 200, 400, 300].map(
          (role, n) => () => client(nth(owners(), n % 2)).patch(`/api/v1/users/${id}`, { role }),
        ),
        round,
      );
      expect(outcomes).to.deep.equal(Array(4).fill("done"));
      const read = succeeded(await client(org.owner).get(`/api/v1/users/${id}`));
      const { role } = read["user"] as { role: number };
      const rows = await db.rows<{ name: string }>(
        `SELECT g.name FROM user_group_member m JOIN named_user_group g ON g.id = m.group_id
         WHERE m.user_id = $1 ORDER BY g.id DESC`,
        [id],
      );
      const full = role === 400 ? ["role:fullmembers"] : [];
      expect(rows.map(({ name }) => name)).to.deep.equal([groupOf[role], ...full]);
    }
  });

  it("all operations at once: no cycle, no use of deactivated groups, no orphaned rows", () =>
    withChance(async (chance) => {
      const groups: number[] = [];
      for (let n = 0; n < 10; n++) groups.push(await made());
      const people: TestAccount[] = [];
      for (let n = 0; n < 5; n++) people.push(await user(db, org.realm));
      for (let round = 0; round < 20; round++) {
        const drawn = Array.from({ length: 10 }, () => step(chance, groups, people));
        for (const answer of await Promise.all(drawn.map((send) => send()))) outcome(answer);
      }
      await expectNoCircle();
      await expectNoUseOfDeactivated();
      await expectNoOrphans();
      for (const gateway of gateways)
        expect(gateway.logText(), "no request failed").not.to.match(/"level":(50|60)|"status":500/);
    }));

  /** A change that may be refused. Never reactivates, since a reactivated group may contain deactivated parts. */
  function step(
    chance: Chance,
    groups: readonly number[],
    people: readonly TestAccount[],
  ): () => Promise<Answer> {
    const pick = <T>(list: readonly T[]) => nth(list, chance.below(list.length));
    const [group, other, third] = [pick(groups), pick(groups), pick(groups)];
    const somebody = pick(people).id;
    const by = client(pick(owners()));
    const setting = pick(["can_join_group", "can_manage_group", "can_leave_group"]);
    const set = { direct_members: [somebody], direct_subgroups: [other, third] };
    const change = pick<() => Promise<Answer>>([
      () => by.patch(path(group), { [setting]: { new: other } }),
      () => by.patch(path(group), { [setting]: { new: set }, can_mention_group: { new: third } }),
      () => by.patch(path(group), { [setting]: { new: org.groups["role:members"] } }),
      () => by.post(path(group, "/subgroups"), { add: [other] }),
      () => by.post(path(group, "/subgroups"), { delete: [other], add: [third] }),
      () => by.post(path(group, "/members"), { add: [somebody], add_subgroups: [other] }),
      () => by.post(path(group, "/members"), { delete: [somebody] }),
      () => by.patch(`/api/v1/users/${somebody}`, { role: pick([200, 300, 400]) }),
      () => by.delete(`/api/v1/users/${somebody}`),
      () => by.post(`/api/v1/users/${somebody}/reactivate`),
    ]);
    return chance.below(25) === 0 ? () => by.post(path(group, "/deactivate")) : change;
  }

  async function expectNoUseOfDeactivated(): Promise<void> {
    const shown = await shownGroups();
    const gone = new Set(shown.filter(({ deactivated }) => deactivated).map(({ id }) => id));
    for (const { deactivated, direct_subgroup_ids, ...group } of shown) {
      if (deactivated) continue;
      const values = Object.entries(group).filter(([key]) => key.startsWith("can_"));
      const used = values.flatMap(([, value]) =>
        typeof value === "number"
          ? [value]
          : (value as { direct_subgroups: number[] }).direct_subgroups,
      );
      for (const id of [...direct_subgroup_ids, ...used])
        expect(gone.has(id), `group ${group.id} uses the deactivated group ${id}`).to.equal(false);
    }
  }

  /** Every anonymous group is the value of one setting. */
  async function expectNoOrphans(): Promise<void> {
    const { named } = (await groupState(db)) as { named: Array<Record<string, unknown>> };
    const holders = (rows: ReadonlyArray<Record<string, unknown>>) =>
      rows.flatMap((row) =>
        Object.entries(row).flatMap(([key, value]) =>
          key.startsWith("can_") && key.endsWith("_id") ? [Number(value)] : [],
        ),
      );
    const channels = await db.rows<Record<string, unknown>>("SELECT * FROM channels");
    const realms = await db.rows<Record<string, unknown>>("SELECT * FROM realms");
    const anonymous = await db.rows<{ id: number }>(
      "SELECT id FROM user_group WHERE id NOT IN (SELECT id FROM named_user_group)",
    );
    const used = [...holders(named), ...holders(channels), ...holders(realms)];
    for (const { id } of anonymous)
      expect(
        used.filter((each) => each === id),
        `uses of the anonymous group ${id}`,
      ).to.have.lengthOf(1);
  }
});
