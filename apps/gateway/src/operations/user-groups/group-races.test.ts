import {
  createChannel,
  createUserGroup,
  deactivateUserGroup,
  updateUserGroup,
  updateUserGroupMembers,
  updateUserGroupSubgroups,
  type Operation,
} from "@carillon/contract";
import {
  newGroup,
  organization,
  readGroup,
  unique,
  useDatabase,
  useGateway,
  user,
  userGroup,
  type Params,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

/** Rounds of each race; the winner differs between rounds. */
const rounds = 8;

describe("User groups: concurrent requests", () => {
  const db = useDatabase({ max: 20 });
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const set = (...direct_members: number[]) => ({ direct_members, direct_subgroups: [] });
  const ask = async (operation: Operation, id: number, params: Params = {}) => {
    const answer = await gateway.as(org.owner).call(operation, {
      path: { user_group_id: id },
      params,
    });
    return answer.status === 200 ? "done" : `${answer.status} ${answer.body.code}`;
  };
  const race = async (work: (round: number) => Promise<void>) => {
    for (let round = 0; round < rounds; round++) await work(round);
  };

  it("change a setting once from one old value, and refuse the others", () =>
    race(async () => {
      const id = await newGroup(gateway, org.owner);
      const people = [org.member, org.guest, org.bot, org.admin];
      const answers = await Promise.all(
        people.map((person) =>
          ask(updateUserGroup, id, {
            description: person.fullName,
            can_join_group: { new: set(person.id), old: org.groups["role:nobody"] },
          }),
        ),
      );
      expect(answers.toSorted()).to.deep.equal([
        ...Array<string>(people.length - 1).fill("400 EXPECTATION_MISMATCH"),
        "done",
      ]);
      const winner = people[answers.indexOf("done")];
      expect(await readGroup(gateway, org.owner, id)).to.deep.include({
        description: winner?.fullName,
        can_join_group: set(winner?.id ?? 0),
      });
    }));

  it("never create a cycle of subgroups", () =>
    race(async () => {
      const [a, b, c] = await Promise.all([
        newGroup(gateway, org.owner),
        newGroup(gateway, org.owner),
        newGroup(gateway, org.owner),
      ]);
      const answers = await Promise.all([
        ask(updateUserGroupSubgroups, a, { add: [b] }),
        ask(updateUserGroupMembers, b, { add_subgroups: [c] }),
        ask(updateUserGroupSubgroups, c, { add: [a] }),
      ]);
      expect(answers.toSorted()).to.deep.equal(["400 BAD_REQUEST", "done", "done"]);
      const circles = await db.rows(
        `WITH RECURSIVE below (top, id) AS (
           SELECT supergroup_id, subgroup_id FROM user_group_subgroup WHERE supergroup_id = ANY($1::int[])
           UNION SELECT below.top, s.subgroup_id FROM below JOIN user_group_subgroup s ON s.supergroup_id = below.id
         ) SELECT FROM below WHERE top = id`,
        [[a, b, c]],
      );
      expect(circles).to.deep.equal([]);
    }));

  const uses: ReadonlyArray<[string, (group: number, own: number) => Promise<string>]> = [
    [
      "a setting of a group",
      (group, own) => ask(updateUserGroup, own, { can_join_group: { new: group } }),
    ],
    [
      "part of an anonymous group in a group's setting",
      (group, own) =>
        ask(updateUserGroup, own, {
          can_join_group: { new: { direct_members: [org.guest.id], direct_subgroups: [group] } },
        }),
    ],
    ["a subgroup", (group, own) => ask(updateUserGroupSubgroups, own, { add: [group] })],
    [
      "a subgroup of a new group",
      (group) =>
        ask(createUserGroup, 0, {
          name: unique("new"),
          description: "",
          members: [],
          subgroups: [group],
        }),
    ],
    [
      "a setting of a new channel",
      (group) =>
        ask(createChannel, 0, {
          name: unique("room"),
          subscribers: [],
          can_send_message_group: group,
        }),
    ],
    [
      "part of an anonymous group in a new channel's setting",
      (group) =>
        ask(createChannel, 0, {
          name: unique("room"),
          subscribers: [],
          can_send_message_group: {
            direct_members: [org.member.id],
            direct_subgroups: [group, org.groups["role:owners"]],
          },
        }),
    ],
  ];
  for (const [title, use] of uses) {
    it(`either deactivate a group or make it ${title}`, () =>
      race(async (round) => {
        const own = await newGroup(gateway, org.owner);
        const { id } = await userGroup(db, org.realm);
        const ways = [() => use(id, own), () => ask(deactivateUserGroup, id)];
        if (round % 2 === 1) ways.reverse();
        const answers = await Promise.all(ways.map((way) => way()));
        const [used, deactivated] = round % 2 === 1 ? answers.toReversed() : answers;
        const { deactivated: gone } = await readGroup(gateway, org.owner, id);
        if (gone) expect([used, deactivated]).to.deep.equal(["400 BAD_REQUEST", "done"]);
        else
          expect([used, deactivated]).to.deep.equal(["done", "400 CANNOT_DEACTIVATE_GROUP_IN_USE"]);
      }));
  }

  it("make groups refer to each other without deadlock", () =>
    race(async () => {
      const [a, b] = [await newGroup(gateway, org.owner), await newGroup(gateway, org.owner)];
      const answers = await Promise.all([
        ask(updateUserGroup, a, { can_join_group: { new: b } }),
        ask(updateUserGroup, b, { can_join_group: { new: a } }),
        ask(createChannel, 0, {
          name: unique("room"),
          subscribers: [],
          can_send_message_group: a,
          can_subscribe_group: b,
        }),
      ]);
      expect(answers).to.deep.equal(["done", "done", "done"]);
    }));

  it("give a name to one group", () =>
    race(async () => {
      const name = unique("name");
      const own = await newGroup(gateway, org.owner);
      const answers = await Promise.all([
        ask(createUserGroup, 0, { name, description: "", members: [] }),
        ask(createUserGroup, 0, { name, description: "", members: [] }),
        ask(updateUserGroup, own, { name }),
      ]);
      expect(answers.toSorted()).to.deep.equal(["400 BAD_REQUEST", "400 BAD_REQUEST", "done"]);
    }));

  it("add a member once", () =>
    race(async () => {
      const id = await newGroup(gateway, org.owner);
      const person = await user(db, org.realm);
      const answers = await Promise.all(
        [1, 2, 3].map(() => ask(updateUserGroupMembers, id, { add: [person.id] })),
      );
      expect(answers.toSorted()).to.deep.equal(["400 BAD_REQUEST", "400 BAD_REQUEST", "done"]);
    }));

  it("deactivate a group once", () =>
    race(async () => {
      const { id } = await userGroup(db, org.realm);
      const answers = await Promise.all([1, 2, 3].map(() => ask(deactivateUserGroup, id)));
      expect(answers.toSorted()).to.deep.equal(["400 BAD_REQUEST", "400 BAD_REQUEST", "done"]);
    }));
});
