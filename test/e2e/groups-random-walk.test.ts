import { bot, organization, roles, useDatabase, useGateway, user } from "@carillon/testkit";
import { expect } from "chai";

import { withChance } from "../faults/support/chance.ts";
import { Refusal, type Value } from "./support/groups-model-rules.ts";
import { GroupsModel } from "./support/groups-model.ts";
import { pick, takeStep, type GroupsWalk, type Step } from "./support/groups-walk.ts";

const steps = 120;

// user-groups.md as a whole: responses and state after each step equal the model of the rules.
describe("User groups after random operations", () => {
  const db = useDatabase();
  const gateway = useGateway(db);

  it("answer, show and allow what the rules define", () =>
    withChance(async (chance) => {
      const org = await organization(db);
      const secondOwner = await user(db, org.realm, { role: roles.owner });
      const accounts = [
        org.owner,
        secondOwner,
        org.admin,
        org.moderator,
        org.member,
        await user(db, org.realm),
        await user(db, org.realm),
        org.guest,
        await user(db, org.realm, { role: roles.guest }),
        org.bot,
        await bot(db, org.admin, { role: roles.moderator }),
      ];
      const model = new GroupsModel(
        accounts.map(({ id, role, botOwnerId }) => ({
          id,
          role,
          active: true,
          owner: botOwnerId ?? undefined,
        })),
        org.groups,
      );
      const walk: GroupsWalk = { gateway, model, chance, accounts };
      const outcomes = new Set<string>();
      for (let n = 1; n <= steps; n++) {
        const step = await takeStep(walk);
        const received = `step ${n}, ${step.kind}, ${step.text}`;
        expectAnswer(step, received);
        outcomes.add(`${step.kind}: ${step.answer.status === 200 ? "done" : "refused"}`);
        await expectView(walk, received);
        if (n % 3 === 0) await expectMention(walk, received);
      }
      expect([...outcomes], "kinds of steps, with how they ended").to.have.length.at.least(10);
    }));
});

function expectAnswer({ answer, expected }: Step, received: string): void {
  const { msg, ...body } = answer.body;
  const refused = expected instanceof Refusal;
  const wanted = refused
    ? { result: "error", code: expected.code, ...expected.extra }
    : { result: "success", ...expected };
  expect(body, `${received}: ${answer.text}`).to.deep.equal(wanted);
  expect(msg === "", received).to.equal(!refused);
  const status = !refused ? 200 : expected.code === "UNAUTHORIZED" ? 401 : 400;
  expect(answer.status, received).to.equal(status);
}

/** What the account can read: all groups, and the members and subgroups of one of them. */
async function expectView(walk: GroupsWalk, received: string): Promise<void> {
  const { gateway, model, chance, accounts } = walk;
  const viewers = accounts.filter(({ id }) => model.user(id).active);
  const viewer = pick(walk, viewers);
  const group = pick(walk, [...model.state.groups.values()]);
  const whom = pick(walk, accounts);
  const client = gateway.as(viewer);
  const direct = chance.below(2) === 0;
  const all = chance.below(2) === 0;
  const path = `/api/v1/user_groups/${group.id}`;
  const [listed, members, membership, subgroups] = await Promise.all([
    client.get("/api/v1/user_groups", all ? { include_deactivated_groups: true } : {}),
    client.get(`${path}/members`, { direct_member_only: direct }),
    client.get(`${path}/members/${whom.id}`, { direct_member_only: direct }),
    client.get(`${path}/subgroups`, { direct_subgroup_only: direct }),
  ]);
  const isGuest = model.user(viewer.id).role === roles.guest;
  const says = (answer: typeof listed, isRefused: boolean, fields: object) =>
    expect(answer.body, `after ${received}: to ${viewer.fullName}, of ${path}`).to.deep.include(
      isRefused ? { code: "BAD_REQUEST" } : fields,
    );
  const isHidden = isGuest || group.deactivated;
  const inGroup = direct
    ? model.active(model.directMembers(group))
    : model.active(model.allMembers(group.id));
  says(members, isHidden, { members: inGroup });
  says(membership, isHidden || !model.user(whom.id).active, {
    is_user_group_member: inGroup.includes(whom.id),
  });
  says(subgroups, isHidden, {
    subgroups: direct ? [...group.subgroups].sort((a, b) => a - b) : model.subgroupsOf(group.id),
  });
  if (isGuest) {
    says(listed, true, {});
    return;
  }
  const groups = (listed.body["user_groups"] as ShownGroup[]).map(strip);
  expect(groups, `after ${received}`).to.deep.equal(model.shownGroups(all));
}

interface ShownGroup {
  readonly is_system_group: boolean;
  readonly date_created: number | null;
  readonly description: string;
  readonly [field: string]: Value | string | boolean | null;
}

/** Without the fields that the model does not have. */
function strip({ date_created, description, ...group }: ShownGroup): object {
  expect(date_created === null, "only system groups have no date").to.equal(group.is_system_group);
  return group.is_system_group ? group : { ...group, description };
}

/** Whether the account may mention the group, including guests (§5.8). */
async function expectMention(walk: GroupsWalk, received: string): Promise<void> {
  const { gateway, model, accounts } = walk;
  const sender = pick(
    walk,
    accounts.filter(({ id }) => model.user(id).active),
  );
  const named = [...model.state.groups.values()].filter(
    ({ system, name }) => !system && name.startsWith("walk"),
  );
  if (named.length === 0) return;
  const group = pick(walk, named);
  const answer = await gateway.as(sender).post("/api/v1/messages", {
    type: "direct",
    to: [sender.id],
    content: `@*${group.name}*`,
  });
  const may = group.deactivated || model.holdsOf(sender.id, group, "can_mention_group");
  expect(
    answer.status,
    `after ${received}: ${sender.fullName} mentions ${group.name}: ${answer.text}`,
  ).to.equal(may ? 200 : 400);
}
