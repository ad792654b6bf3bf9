import { device, organization, useDatabase, type DeviceContents } from "@carillon/testkit";
import { expect } from "chai";

import { deviceState, lockDevice, type DeviceState } from "./push-device.ts";

// push.md §1
describe("Devices", () => {
  const db = useDatabase();

  const states: ReadonlyArray<[DeviceContents, DeviceState]> = [
    [{}, "never registered"],
    [{ pending: 1 }, "pending"],
    [{ active: 1, pending: 2 }, "pending"],
    [{ active: 1 }, "active"],
    [{ pending: 1, error: "REQUEST_EXPIRED" }, "failed"],
    [{ active: 1, pending: 2, error: "BAD_REQUEST" }, "failed"],
    [{ key: { id: 0 } }, "lapsed"],
  ];
  it("have the state that follows from their row", async () => {
    const { member, owner } = await organization(db);
    for (const [contents, state] of states) {
      const id = await device(db, member, contents);
      const found = await db.transaction((tx) => lockDevice(tx, member.id, id));
      if (!found) throw new Error("a device of the account was not found");
      expect(deviceState(found), JSON.stringify(contents)).to.equal(state);
      expect(await db.transaction((tx) => lockDevice(tx, owner.id, id))).to.equal(undefined);
    }
  });

  it("cannot contain values with which a notification could not be sent", async () => {
    const { member } = await organization(db);
    const bad = [
      "push_key = 'x', push_key_id = 1",
      "push_key_id = 4294967296",
      "push_key_id = -1",
      "push_key_id = NULL",
      "push_key = NULL",
      "push_token_id = '1234567'",
      "push_token_kind = 'sms'",
      "push_token_kind = NULL",
      "pending_push_token_id = '123456789', pending_push_token_kind = 'fcm'",
      "pending_push_token_id = '12345678'",
    ];
    const id = await device(db, member, { active: 1 });
    for (const change of bad) {
      const refused = db.rows(`UPDATE client_devices SET ${change} WHERE id = $1`, [id]);
      const why = await refused.then(
        () => "it was stored",
        (error: Error) => error.message,
      );
      expect(why, change).to.contain("check constraint");
    }
  });
});

// push.md §1: `realm_uuid`
describe("The uuid of an organization", () => {
  const db = useDatabase();

  it("is unique and constant", async () => {
    const { realm } = await organization(db);
    await organization(db);
    const rows = await db.rows<{ uuid: string }>("SELECT DISTINCT uuid FROM realms");
    expect(rows).to.have.length(2);
    await db.rows("UPDATE realms SET name = 'other' WHERE id = $1", [realm.id]);
    expect(await db.rows("SELECT DISTINCT uuid FROM realms")).to.have.deep.members(rows);
  });
});
