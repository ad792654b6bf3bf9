import { expect } from "chai";

import { allBut, logged, queue, presented, presentWithAndWithout } from "./test-support.ts";

describe("events of user groups", () => {
  const group = { id: 7, name: "cooks", deactivated: false };
  const capability = "include_deactivated_groups";

  it("update: deactivation removes a group and reactivation adds it for older clients", () => {
    const head = { type: "user_group", op: "update" };
    const off = { group_id: 7, data: { deactivated: true } };
    const end = presentWithAndWithout({ ...head, payload: off }, capability);
    expect(end.with).to.deep.equal([{ ...head, ...off }]);
    expect(end.without).to.deep.equal([{ type: "user_group", op: "remove", group_id: 7 }]);
    const on = { group_id: 7, data: { deactivated: false } };
    const back = presentWithAndWithout({ ...head, payload: { ...on, group } }, capability);
    expect(back.with).to.deep.equal([{ ...head, ...on }]);
    expect(back.without).to.deep.equal([{ type: "user_group", op: "add", group }]);
  });

  const changes = [
    { op: "update", fields: { group_id: 7, data: { name: "chefs" } } },
    { op: "add_members", fields: { group_id: 7, user_ids: [1] } },
    { op: "remove_members", fields: { group_id: 7, user_ids: [1] } },
    { op: "add_subgroups", fields: { group_id: 7, direct_subgroup_ids: [8] } },
    { op: "remove_subgroups", fields: { group_id: 7, direct_subgroup_ids: [8] } },
  ];

  it("sends changes of deactivated groups only to clients that support them", () => {
    for (const { op, fields } of changes) {
      const payload = { ...fields, deactivated: true };
      const outcome = presentWithAndWithout({ type: "user_group", op, payload }, capability);
      expect(outcome.with).to.deep.equal([{ type: "user_group", op, ...fields }]);
      expect(outcome.without).to.deep.equal([]);
    }
  });

  it("sends changes of other groups to all clients", () => {
    const all = [...changes, { op: "add", fields: { group } }];
    for (const { op, fields } of all)
      for (const capabilities of [[], allBut()]) {
        const event = logged({ type: "user_group", op, payload: fields });
        expect(presented(event, queue({ capabilities }))).to.deep.equal([
          { type: "user_group", op, ...fields },
        ]);
      }
  });
});
