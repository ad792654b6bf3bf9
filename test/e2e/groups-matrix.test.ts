import {
  type Answer,
  type Params,
  refusedWith,
  roles,
  succeeded,
  type TestAccount,
  unique,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import {
  groupGrants,
  groupOperations,
  keptGroup,
  realmGrants,
  setOf,
  ways,
  type Cast,
  type Grant,
  type GroupOperation,
  type Value,
} from "./support/group-grants.ts";

const actors = [
  "owner",
  "administrator",
  "moderator",
  "full member",
  "new member",
  "guest",
  "bot",
] as const;
type Actor = (typeof actors)[number];

/** Days until an account is a full member. */
const waitingPeriod = 3;

// user-groups.md §4: permissions by role and by each way of holding a permission.
describe("User groups: permissions", () => {
  const scene = useScene();
  let cast: Cast;
  let people: Readonly<Record<Actor, TestAccount>>;

  before("make the accounts, and give all permissions to one of them", async () => {
    const { db, org } = scene;
    const [keeper, insider, outsider] = [
      await user(db, org.realm),
      await user(db, org.realm),
      await user(db, org.realm),
    ];
    people = {
      owner: org.owner,
      administrator: org.admin,
      moderator: org.moderator,
      "full member": org.member,
      "new member": await user(db, org.realm),
      guest: org.guest,
      bot: org.bot,
    };
    await db.rows(
      "UPDATE users SET date_joined = now() - interval '10 days' WHERE realm_id = $1 AND id <> $2",
      [org.realm.id, people["new member"].id],
    );
    await patchRealm({ waiting_period_threshold: waitingPeriod });
    const some = { scene, keeper, insider, outsider };
    const [part, spare] = [await keptGroup(some), await keptGroup(some)];
    cast = { ...some, part, spare };
    for (const grant of realmGrants) await patchRealm({ [grant]: { new: setOf(keeper) } });
  });

  beforeEach("let the groups count for another day than this", async () => {
    await scene.db.rows(
      "UPDATE named_user_group SET creator_id = $2 WHERE realm_id = $1 AND NOT is_system_group AND creator_id IS NOT NULL",
      [scene.org.realm.id, scene.org.owner.id],
    );
  });

  async function patchRealm(params: Params): Promise<void> {
    succeeded(await scene.as(scene.org.owner).patch("/api/v1/realm", params));
  }

  const send = (by: TestAccount, [method, path, params = {}]: [string, string, Params?]) => {
    const client = scene.as(by);
    if (method === "GET") return client.get(path, params);
    return method === "PATCH" ? client.patch(path, params) : client.post(path, params);
  };

  /** Groups with the given value of the permission, and the keeper in all others; created on demand. */
  function groupsWith(who: TestAccount, grant: Grant | undefined, value: Value) {
    const made = new Map<string, Promise<number>>();
    const settings = Object.fromEntries(
      groupGrants.map((name) => [name, name === grant ? value : setOf(cast.keeper)]),
    );
    const make = async (on: GroupOperation["on"]) => {
      const joined = on === "joined" ? [who.id] : [];
      const members = [cast.insider.id, ...joined];
      const id = await keptGroup(cast, { ...settings, members, subgroups: [cast.part] });
      const path = `/api/v1/user_groups/${id}/deactivate`;
      if (on === "deactivated") succeeded(await scene.as(cast.keeper).post(path));
      return id;
    };
    return (on: GroupOperation["on"]): Promise<number> => {
      const key = on ?? "plain";
      const group = made.get(key) ?? make(on);
      made.set(key, group);
      return group;
    };
  }

  /** Tries the operations, those that must be refused concurrently, as they change nothing. */
  async function tryAll(
    operations: readonly GroupOperation[],
    who: TestAccount,
    grant: Grant | undefined,
    value: Value,
    received: string,
  ): Promise<void> {
    const ofRealm = realmGrants.some((name) => name === grant);
    if (grant && ofRealm) await patchRealm({ [grant]: { new: value } });
    const groupFor = groupsWith(who, grant, value);
    const mayDo = ({ grants }: GroupOperation) =>
      who.role !== roles.guest && (!grants || (grant !== undefined && grants.includes(grant)));
    const attempt = async (operation: GroupOperation): Promise<[Answer, number]> => {
      const id = await groupFor(operation.on);
      return [await send(who, operation.request(cast, who, id)), id];
    };
    await Promise.all(
      operations
        .filter((operation) => !mayDo(operation))
        .map(async (operation) => {
          const [answer] = await attempt(operation);
          expect(answer.status, `${received}: ${operation.title}: ${answer.text}`).to.equal(400);
          refusedWith(answer);
        }),
    );
    for (const operation of operations.filter(mayDo)) {
      const [answer, id] = await attempt(operation);
      expect(answer.status, `${received}: ${operation.title}: ${answer.text}`).to.equal(200);
      const undo = operation.undo?.(cast, who, id);
      if (undo) succeeded(await send(cast.keeper, undo));
    }
    if (grant && ofRealm) await patchRealm({ [grant]: { new: setOf(cast.keeper) } });
  }

  const grants = [...groupGrants, ...realmGrants];
  const wayNames = Object.keys(ways);

  actors.forEach((actor, turn) =>
    it(`${actor}: nothing by role, and exactly what each permission allows`, async () => {
      const who = people[actor];
      const without = setOf(cast.keeper);
      await tryAll(groupOperations, who, undefined, without, `${actor} without permission`);
      // Each permission in another way, which also differs for the next account.
      for (const [n, grant] of grants.entries()) {
        const way = wayNames[(n + turn) % wayNames.length] ?? "";
        const value = (await ways[way]?.(cast, who)) ?? without;
        await tryAll(groupOperations, who, grant, value, `${actor} with ${grant}, ${way}`);
      }
    }),
  );

  for (const actor of ["full member", "guest"] as const)
    it(`${actor}: the same in every way of holding a permission`, async () => {
      const who = people[actor];
      for (const [way, valueFor] of Object.entries(ways))
        for (const grant of grants) {
          const first = groupOperations.find((each) => each.grants?.at(-1) === grant);
          const tried = first ? [first] : renaming;
          await tryAll(
            tried,
            who,
            grant,
            await valueFor(cast, who),
            `${actor} with ${grant}, ${way}`,
          );
        }
    });

  const renaming = groupOperations.filter(({ title }) => title === "rename");

  it("system groups as values: all accounts of the role and of higher roles", async () => {
    const within: Readonly<Record<string, readonly Actor[]>> = {
      "role:nobody": [],
      "role:owners": ["owner"],
      "role:administrators": ["owner", "administrator"],
      "role:moderators": ["owner", "administrator", "moderator"],
      "role:fullmembers": ["owner", "administrator", "moderator", "full member", "bot"],
      "role:members": ["owner", "administrator", "moderator", "full member", "new member", "bot"],
    };
    for (const [name, holders] of Object.entries(within)) {
      const value = scene.org.groups[name as "role:nobody"];
      const path = `/api/v1/user_groups/${await keptGroup(cast, { can_join_group: value })}/members`;
      for (const actor of actors) {
        const who = people[actor];
        const answer = await scene.as(who).post(path, { add: [who.id] });
        const received = `${actor} joins a group that ${name} may join: ${answer.text}`;
        expect(answer.status, received).to.equal(holders.includes(actor) ? 200 : 400);
      }
    }
  });

  it("mentions: guests too, since the permission may be role:everyone", async () => {
    const { groups } = scene.org;
    const mentions = async (actor: Actor, name: string, expected: boolean, received: string) => {
      const who = people[actor];
      const content = (mark: string) => `@${mark}*${name}*`;
      const message = { type: "direct", to: [who.id] };
      const client = scene.as(who);
      const loud = await client.post("/api/v1/messages", { ...message, content: content("") });
      expect(loud.status, `${actor} ${received}: ${loud.text}`).to.equal(expected ? 200 : 400);
      if (!expected) refusedWith(loud);
      succeeded(await client.post("/api/v1/messages", { ...message, content: content("_") }));
    };
    const made = async (value: Value) => {
      const name = unique("mentioned");
      await keptGroup(cast, { name, can_mention_group: value });
      return name;
    };
    const nobodys = await made(groups["role:nobody"]);
    const members = await made(groups["role:members"]);
    const everyones = await made(groups["role:everyone"]);
    for (const actor of actors) {
      await mentions(actor, nobodys, false, "mentions what nobody may");
      await mentions(actor, members, actor !== "guest", "mentions what members may");
      await mentions(actor, everyones, true, "mentions what everyone may");
      const ownWays = actor === "guest" || actor === "bot" ? wayNames : [];
      for (const way of ownWays) {
        const value = await ways[way]?.(cast, people[actor]);
        if (value) await mentions(actor, await made(value), true, `mentions, ${way}`);
      }
    }
  });

  it("channels: holders of the organization's permission create them, never a guest", async () => {
    const setting = "can_create_public_channel_group";
    const creates = async (actor: Actor, expected: boolean, received: string) => {
      const params = { name: unique("channel"), subscribers: [] };
      const answer = await scene.as(people[actor]).post("/api/v1/channels/create", params);
      expect(answer.status, `${actor} ${received}: ${answer.text}`).to.equal(expected ? 200 : 400);
    };
    await patchRealm({ [setting]: { new: setOf(cast.keeper) } });
    for (const actor of actors) await creates(actor, false, "without permission");
    for (const actor of ["new member", "guest", "bot"] as const) {
      for (const [way, valueFor] of Object.entries(ways)) {
        await patchRealm({ [setting]: { new: await valueFor(cast, people[actor]) } });
        await creates(actor, actor !== "guest", way);
      }
    }
  });

  it("system groups: no account changes them, even managers of all groups", async () => {
    await patchRealm({ can_manage_all_groups: { new: scene.org.groups["role:owners"] } });
    const { outsider, spare } = cast;
    for (const id of Object.values(scene.org.groups)) {
      const path = `/api/v1/user_groups/${id}`;
      const client = scene.as(scene.org.owner);
      const answers = await Promise.all([
        client.patch(path, { description: "mine" }),
        client.patch(path, { deactivated: false }),
        client.post(`${path}/deactivate`),
        client.post(`${path}/members`, { add: [outsider.id] }),
        client.post(`${path}/subgroups`, { add: [spare] }),
      ]);
      for (const answer of answers) refusedWith(answer);
    }
    await patchRealm({ can_manage_all_groups: { new: setOf(cast.keeper) } });
  });

  it("a new organization: owners manage every group, creators their own, others none", async () => {
    await patchRealm({ can_manage_all_groups: { new: scene.org.groups["role:owners"] } });
    await patchRealm({ can_create_groups: { new: scene.org.groups["role:members"] } });
    const creator = people["full member"];
    const made = await scene.as(creator).post("/api/v1/user_groups/create", {
      name: unique("own"),
      description: "",
      members: [],
    });
    const path = `/api/v1/user_groups/${Number(succeeded(made)["group_id"])}`;
    for (const actor of actors) {
      const answer = await scene.as(people[actor]).patch(path, { description: unique("words") });
      const may = actor === "owner" || actor === "full member";
      expect(answer.status, `${actor}: ${answer.text}`).to.equal(may ? 200 : 400);
    }
  });
});
