import { reportMessage, reportTypes } from "@carillon/contract";
import { channel, refused, refusedAlike, type TestAccount, useScene } from "@carillon/testkit";
import { expect } from "chai";

import { post, write } from "./reading.test.ts";

describe("POST /messages/{message_id}/report", () => {
  const scene = useScene();
  type Params = Readonly<Record<string, unknown>>;
  const ask = (by: TestAccount, message_id: number, params: Params) =>
    scene.as(by).call(reportMessage, { path: { message_id }, params });
  const refusal = async (by: TestAccount, id: number, params: Params, code = "BAD_REQUEST") =>
    (await refused(scene.db, () => ask(by, id, params), code)).msg;

  it("is refused because there is no moderation channel", async () => {
    const { owner, member, guest, realm } = scene.org;
    const room = await channel(scene.db, realm, { subscribers: [owner, guest] });
    const id = await post(scene.gateway, owner, room);
    for (const { key } of reportTypes)
      for (const by of [member, guest, owner])
        expect(await refusal(by, id, { report_type: key, description: "look" })).to.contain(
          "no channel for reports",
        );
  });

  it("refuses unknown report types, and requires a description for the type other", async () => {
    const { owner, member } = scene.org;
    const id = await write(scene.gateway, owner, [member]);
    for (const report_type of ["", "rude", "SPAM", '["spam"]'])
      await refusal(member, id, { report_type });
    await refusal(member, id, {}, "REQUEST_VARIABLE_MISSING");
    for (const description of [undefined, "", " \n"])
      expect(await refusal(member, id, { report_type: "other", description })).to.contain(
        "description is required",
      );
    const long = { report_type: "spam", description: "💧".repeat(1_001) };
    expect(await refusal(member, id, long)).to.contain("1000");
    const most = { report_type: "other", description: "💧".repeat(1_000) };
    expect(await refusal(member, id, most)).to.contain("no channel for reports");
  });

  it("does not reveal invisible messages", async () => {
    const { owner, admin, member, realm } = scene.org;
    const closed = await channel(scene.db, realm, { inviteOnly: true, subscribers: [owner] });
    const hidden = [
      await post(scene.gateway, owner, closed),
      await write(scene.gateway, owner, [member]),
      0,
      2 ** 53 - 1,
    ];
    await refusedAlike(scene.db, hidden, (id) => ask(admin, id, { report_type: "spam" }));
    const path = `/api/v1/messages/${hidden[0]}/report`;
    const anonymous = () => scene.gateway.anonymous.post(path, { report_type: "spam" });
    await refused(scene.db, anonymous, "UNAUTHORIZED");
  });
});
