import { randomUUID } from "node:crypto";
import { connectStore, type Store } from "@carillon/db";
import {
  phoneToken,
  startFaultProxy,
  startTestBouncer,
  type FaultProxy,
  type TestBouncer,
} from "@carillon/testkit";
import { expect } from "chai";
import { bouncerMigrations } from "@carillon/push";
import { notify, pushTo, registerPhone, request } from "./test-support/call.ts";

describe("A bouncer whose database is away", () => {
  let bouncer: TestBouncer;
  let proxy: FaultProxy;
  let store: Store;
  before(async () => {
    // One bouncer creates the database; the tested one reaches it through the proxy.
    const direct = await startTestBouncer();
    proxy = await startFaultProxy(direct.databaseUrl);
    const options = { max: 5, name: "bouncer", connectMs: 5_000 };
    store = await connectStore(proxy.url, options, bouncerMigrations);
    const away = await direct.another({ store });
    bouncer = { ...direct, url: away.url };
  });
  after(async () => {
    await store.close();
    await proxy.close();
    await bouncer.close();
  });

  it("answers 500, hands nothing over, and recovers", async () => {
    const server = await bouncer.addServer();
    const realm = randomUUID();
    const phone = await registerPhone(bouncer, server, realm, phoneToken("fcm"));
    const body = { realm_uuid: realm, push_requests: [pushTo(phone)] };
    await proxy.refuse();
    const refused = await notify(bouncer, server, body, "away");
    expect([refused.status, refused.json["code"]]).to.deep.equal([500, "INTERNAL_ERROR"]);
    expect((await request(bouncer.url, "/health", {})).status).to.equal(503);
    expect(bouncer.providers.fcm.handovers).to.deep.equal([]);
    await proxy.heal();
    const again = await notify(bouncer, server, body, "away");
    expect(again.json).to.include({ android_successfully_sent_count: 1 });
    expect((await request(bouncer.url, "/health", {})).status).to.equal(200);
  });

  it("does not repeat a handover whose outcome could not be recorded", async () => {
    const server = await bouncer.addServer();
    const realm = randomUUID();
    const phone = await registerPhone(bouncer, server, realm, phoneToken("fcm"));
    const body = { realm_uuid: realm, push_requests: [pushTo(phone)] };
    const { fcm } = bouncer.providers;
    fcm.handovers.length = 0;
    fcm.answer = async () => {
      await proxy.refuse();
      return { kind: "sent" };
    };
    expect((await notify(bouncer, server, body, "unwritten")).status).to.equal(500);
    fcm.answer = () => ({ kind: "sent" });
    await proxy.heal();
    // Lets the lease of the call expire.
    await bouncer.store.rows("UPDATE notify_call SET held_until = now()");
    const again = await notify(bouncer, server, body, "unwritten");
    expect(again.json).to.include({ result: "success", android_successfully_sent_count: 0 });
    expect(fcm.handovers).to.have.length(1);
  });
});
