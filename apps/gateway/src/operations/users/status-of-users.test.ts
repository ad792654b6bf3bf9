import { getStatus, updateStatusOfUser } from "@carillon/contract";
import {
  deactivateUser,
  eventsOf,
  organization,
  refused,
  refusedAlike,
  user,
  useScene,
  type Params,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Status of other users", () => {
  const scene = useScene();
  const set = (by: TestAccount, user_id: number, params: Params = { status_text: "away" }) =>
    scene.as(by).call(updateStatusOfUser, { path: { user_id }, params });

  it("is set by administrators and sent to all accounts", async () => {
    const { owner, admin, member, guest, realm } = scene.org;
    for (const by of [owner, admin]) {
      const { events, result } = await eventsOf(scene.db, realm.id, () =>
        set(by, member.id, { status_text: ` by ${by.id} `, emoji_name: "car" }),
      );
      expect(result.status).to.equal(200);
      const { status } = await scene.as(guest).succeed(getStatus, { path: { user_id: member.id } });
      expect(status).to.include({ status_text: `by ${by.id}`, emoji_name: "car" });
      expect(events.map(({ type, audience }) => [type, audience])).to.deep.equal([
        ["user_status", null],
      ]);
      expect(events[0]?.payload).to.include({ user_id: member.id, status_text: `by ${by.id}` });
    }
  });

  it("is refused to other callers, and for accounts that are not active people of the organization", async () => {
    const { owner, moderator, member, guest, bot, realm } = scene.org;
    for (const by of [moderator, member, guest, bot])
      await refused(scene.db, () => set(by, owner.id), "UNAUTHORIZED_PRINCIPAL", {});
    const gone = await user(scene.db, realm);
    await deactivateUser(scene.db, gone);
    const stranger = (await organization(scene.db)).member;
    await refusedAlike(scene.db, [bot.id, gone.id, stranger.id, 0, 99_999_999_999], (id) =>
      set(owner, id),
    );
    for (const params of [{}, { status_text: "x".repeat(61) }, { emoji_name: "no_such" }])
      await refused(scene.db, () => set(owner, member.id, params), "BAD_REQUEST", {});
  });
});
