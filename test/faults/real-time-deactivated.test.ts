import { getEvents, getOwnUser, register, typingStarted, userUpdated } from "@carillon/contract";
import { emit } from "@carillon/events";
import {
  organization,
  refused,
  refusedWith,
  useDatabase,
  useGateway,
  type Gateway,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";
import { untilItWaits } from "./support/open-polls.ts";

// events.md §2.
describe("Polls of a deactivated account", () => {
  const db = useDatabase();
  const [here, there] = [useGateway(db), useGateway(db)];

  it("end at once on every gateway, while polls of others continue", async () => {
    const { realm, member, moderator } = await organization(db);
    const params = { event_types: ["typing"], fetch_event_types: [] };
    const open = async (gateway: Gateway, account: TestAccount) => {
      const { queue_id, last_event_id } = await gateway.as(account).succeed(register, { params });
      const answer = gateway.as(account).call(getEvents, { params: { queue_id, last_event_id } });
      await untilItWaits(db, gateway, queue_id);
      return { answer };
    };
    const polling = [await open(here, member), await open(there, member)];
    const other = await open(here, moderator);
    await db.transaction(async (tx) => {
      await tx.rows("UPDATE users SET is_active = false WHERE id = $1", [member.id]);
      const sender = { user_id: moderator.id, email: moderator.email };
      emit(tx, realm.id, [
        userUpdated({ person: { user_id: member.id, is_active: false } }, { audience: null }),
        typingStarted({ message_type: "direct", sender, recipients: [sender] }, { audience: null }),
      ]);
    });
    for (const answer of await Promise.all(polling.map(({ answer: each }) => each)))
      refusedWith(answer, "UNAUTHORIZED");
    for (const gateway of [here, there])
      for (const operation of [getOwnUser, register, getEvents]) {
        const params = { queue_id: "any", last_event_id: 0 };
        await refused(db, () => gateway.as(member).call(operation, { params }), "UNAUTHORIZED");
      }
    const { body } = await other.answer;
    expect(body.events.map(({ type }) => type)).to.deep.equal(["typing"]);
  });
});
