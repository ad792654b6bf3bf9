import { getSettings, register, updateSettings } from "@carillon/contract";
import { organization, refused, useDatabase, useGateway } from "@carillon/testkit";
import { expect } from "chai";

describe("GET /settings", () => {
  const db = useDatabase();
  const gateway = useGateway(db);

  it("returns the caller's own settings as the snapshot does", async () => {
    const { member, owner } = await organization(db);
    const client = gateway.as(member);
    await client.succeed(updateSettings, { params: { twenty_four_hour_time: true } });
    const { user_settings: settings } = await client.succeed(getSettings);
    const snapshot = await client.succeed(register, {
      params: { fetch_event_types: ["user_settings"] },
    });
    expect(settings).to.include({ twenty_four_hour_time: true });
    expect(snapshot).to.have.property("user_settings").that.deep.includes(settings);
    const others = await gateway.as(owner).succeed(getSettings);
    expect(others.user_settings).to.include({ twenty_four_hour_time: false });
    await refused(db, () => gateway.anonymous.call(getSettings), "UNAUTHORIZED");
  });
});
