import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEnvironment } from "@carillon/kit";
import { expect } from "chai";
import { chooseProviders } from "./choose-providers.ts";
import type { LoggedHandover } from "./development.ts";

describe("The providers of a bouncer", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-providers-"));
  });
  after(() => rm(folder, { recursive: true }));

  const refusalOf = (variables: Record<string, string>) =>
    chooseProviders(readEnvironment(variables)).then(
      () => "",
      ({ message }: Error) => message,
    );

  it("must be configured", async () => {
    expect(await refusalOf({})).to.match(/^BOUNCER_FCM_CREDENTIALS, BOUNCER_APNS_KEY and /);
    expect(await refusalOf({ BOUNCER_APNS_KEY: "/none" })).to.match(/^BOUNCER_APNS_KEY_ID/);
    expect(await refusalOf({ BOUNCER_FCM_CREDENTIALS: "/none" })).to.match(/ENOENT/);
    const log = join(folder, "file", "log");
    const { fcm, apns } = await chooseProviders(
      readEnvironment({ BOUNCER_HANDOVER_LOG: join(folder, "file") }),
    );
    await Promise.all([fcm?.close(), apns?.close()]);
    expect(await refusalOf({ BOUNCER_HANDOVER_LOG: log })).to.match(/^BOUNCER_HANDOVER_LOG /);
  });

  it("for development append handovers to a private file", async () => {
    const path = join(folder, "deep", "handovers.jsonl");
    const { fcm, apns } = await chooseProviders(readEnvironment({ BOUNCER_HANDOVER_LOG: path }));
    const handover = {
      token: "t",
      registeredAt: new Date(),
      iosAppId: null,
      urgent: true,
      alert: false,
      payload: { push_key_id: 1 },
    };
    expect(await fcm?.handOver(handover)).to.deep.equal({ kind: "sent" });
    expect(await apns?.handOver({ ...handover, iosAppId: "a.b" })).to.deep.equal({ kind: "sent" });
    const lines = (await readFile(path, "utf8")).trim().split("\n");
    const [first, second] = lines.map((line) => JSON.parse(line) as LoggedHandover);
    expect(first).to.deep.include({ kind: "fcm", token: "t", payload: { push_key_id: 1 } });
    expect(second).to.include({ kind: "apns", ios_app_id: "a.b", urgent: true, alert: false });
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    await Promise.all([fcm?.close(), apns?.close()]);
    expect((await fcm?.handOver(handover))?.kind).to.equal("undelivered");
  });
});
