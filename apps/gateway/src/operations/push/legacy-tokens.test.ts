import {
  addApnsToken,
  addFcmToken,
  getOwnUser,
  maxLegacyPushTokens,
  removeApnsToken,
  removeFcmToken,
} from "@carillon/contract";
import {
  changesOf,
  countQueries,
  eventsOf,
  refused,
  refusedAlike,
  refusedWith,
  succeededWithoutFields,
  useGateway,
  useBlocker,
  user,
  useScene,
  type Params,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

// push.md §7
describe("Legacy push tokens", () => {
  const scene = useScene();
  const other = useGateway(scene.db);
  const blocker = useBlocker(scene.db);
  let me: TestAccount;
  beforeEach(async () => {
    me = await user(scene.db, scene.org.realm);
  });

  const appid = "org.zulip.Zulip-2";
  const [fcm, apns] = ["/api/v1/users/me/android_gcm_reg_id", "/api/v1/users/me/apns_device_token"];
  const addFcm = (token: unknown, by = me) => scene.as(by).post(fcm, { token });
  const addApns = (token: unknown, params: Params = { appid }, by = me) =>
    scene.as(by).post(apns, { token, ...params });
  const removeFcm = (token: unknown, by = me) => scene.as(by).delete(fcm, { token });
  const removeApns = (token: unknown, by = me) => scene.as(by).delete(apns, { token });
  const stored = async (by = me) => {
    const rows = await scene.db.prisma.legacyPushToken.findMany({
      where: { userId: by.id },
      orderBy: { id: "asc" },
    });
    return rows.map(({ kind, token, iosAppId }) => [kind, token, iosAppId]);
  };

  it("allow people, including guests", async () => {
    const { bot, guest } = scene.org;
    for (const operation of [addFcmToken, addApnsToken, removeFcmToken, removeApnsToken])
      await refused(scene.db, () =>
        scene.as(bot).call(operation, { params: { token: "ab", appid } }),
      );
    succeededWithoutFields(await addFcm("x", guest));
    succeededWithoutFields(await removeFcm("x", guest));
  });

  it("are stored and deleted by kind, without events", async () => {
    const { events } = await eventsOf(scene.db, scene.org.realm.id, async () => {
      succeededWithoutFields(await addFcm("abcd"));
      succeededWithoutFields(await addApns("abcd"));
      expect(await stored()).to.deep.equal([
        ["fcm", "abcd", null],
        ["apns", "abcd", appid],
      ]);
      succeededWithoutFields(await removeFcm("abcd"));
      expect(await stored()).to.deep.equal([["apns", "abcd", appid]]);
      succeededWithoutFields(await removeApns("abcd"));
      expect(await stored()).to.deep.equal([]);
    });
    expect(events).to.deep.equal([]);
  });

  it("are stored once; APNs tokens in any case", async () => {
    for (const token of ["aB", "aB", "Ab"]) succeededWithoutFields(await addFcm(token));
    for (const token of ["aB", "Ab", "ab"]) succeededWithoutFields(await addApns(token));
    const both = [
      ["fcm", "aB", null],
      ["fcm", "Ab", null],
    ];
    expect(await stored()).to.deep.equal([...both, ["apns", "aB", appid]]);
    await refused(scene.db, () => removeFcm("ab"), "BAD_REQUEST", {});
    succeededWithoutFields(await removeApns("AB"));
    expect(await stored()).to.deep.equal(both);
  });

  it("have 1 to 4096 characters; APNs tokens are hexadecimal pairs", async () => {
    for (const token of ["x", "😀".repeat(4_096), "ä b\n:/"])
      succeededWithoutFields(await addFcm(token));
    for (const token of ["00", "aF".repeat(2_048)]) succeededWithoutFields(await addApns(token));
    for (const token of ["", "x".repeat(4_097), "😀".repeat(4_097), "a\0b", "x".repeat(1_000_000)])
      await refused(scene.db, () => addFcm(token), "BAD_REQUEST", {});
    for (const token of ["", "a", "abc", "0x12", "gg", "ab cd", "ab\n", "ａｂ", "ab".repeat(2_049)])
      await refused(scene.db, () => addApns(token), "BAD_REQUEST", {});
  });

  it("require a token, and for APNs an app ID", async () => {
    const missing = (var_name: string) => ["REQUEST_VARIABLE_MISSING", { var_name }] as const;
    await refused(scene.db, () => addFcm(undefined), ...missing("token"));
    await refused(scene.db, () => removeFcm(undefined), ...missing("token"));
    await refused(scene.db, () => removeApns(undefined), ...missing("token"));
    await refused(scene.db, () => addApns(undefined), ...missing("token"));
    await refused(scene.db, () => addApns("ab", {}), ...missing("appid"));
    for (const id of ["", "a b", "a_b", "ä", "a\n", "a;b", "x".repeat(256)])
      await refused(scene.db, () => addApns("ab", { appid: id }), "BAD_REQUEST", {});
    for (const id of [".", "-", "A.b-9", "x".repeat(255)])
      succeededWithoutFields(await addApns("ab", { appid: id }));
    // Existing tokens keep their values.
    expect(await stored()).to.deep.equal([["apns", "ab", "."]]);
  });

  it("are deleted for the caller only; several people may share one", async () => {
    const { owner } = scene.org;
    for (const by of [me, owner]) succeededWithoutFields(await addFcm("shared", by));
    await addFcm("theirs", owner);
    await addApns("ab");
    await refusedAlike(scene.db, ["theirs", "unknown", "", "ab", "x".repeat(5_000)], (token) =>
      removeFcm(token),
    );
    await refusedAlike(scene.db, ["shared", "", "zz"], (token) => removeApns(token));
    succeededWithoutFields(await removeFcm("shared"));
    await refused(scene.db, () => removeFcm("shared"), "BAD_REQUEST", {});
    expect(await stored(owner)).to.have.length(2);
  });

  it("are limited: the oldest is replaced", async () => {
    for (let n = 1; n < maxLegacyPushTokens; n++) await addFcm(`t${n}`);
    await addApns("ab");
    expect(await stored()).to.have.length(maxLegacyPushTokens);
    // Storing a token again makes it the newest.
    await addFcm("t1");
    await addFcm("new");
    const tokens = (await stored()).map(([, token]) => token);
    expect(tokens).to.have.length(maxLegacyPushTokens).and.include.members(["t1", "ab", "new"]);
    expect(tokens).not.to.include("t2");
  });

  it("are stored once when two gateways store them at once", async () => {
    // The first request of a person at a gateway records the visit, for which the others wait.
    for (const gateway of [scene.gateway, other]) await gateway.as(me).succeed(getOwnUser);
    await blocker.lock("SELECT FROM users WHERE id = $1 FOR UPDATE", [me.id]);
    const asked = [scene.gateway, other, scene.gateway, other].map((gateway) =>
      gateway.as(me).post(fcm, { token: "one" }),
    );
    await blocker.untilWaiting(4, "all wait for the account");
    await blocker.release();
    for (const answer of await Promise.all(asked)) succeededWithoutFields(answer);
    expect(await stored()).to.have.length(1);
    const removed = await Promise.all(
      [scene.gateway, other].map((gateway) => gateway.as(me).delete(fcm, { token: "one" })),
    );
    expect(removed.map(({ status }) => status).sort((a, b) => a - b)).to.deep.equal([200, 400]);
  });

  it("are not stored for an account that is deactivated meanwhile", async () => {
    await blocker.lock("UPDATE users SET is_active = false WHERE id = $1", [me.id]);
    const asked = addFcm("late");
    await blocker.untilWaiting(1, "the request waits for the account");
    await blocker.lock("COMMIT");
    refusedWith(await asked, "UNAUTHORIZED");
    expect(await stored()).to.deep.equal([]);
  });

  it("do not appear in logs, and take the same number of statements for any number", async () => {
    const count = async (token: string) =>
      (await countQueries(scene.db, () => addFcm(token))).count;
    const few = await count("SecretToken1");
    for (let n = 0; n < 20; n++) await addFcm(`more${n}`);
    expect(await count("SecretToken2")).to.equal(few);
    expect(scene.gateway.logText()).not.to.contain("SecretToken");
    const { tables } = await changesOf(scene.db, () => addFcm("SecretToken2"));
    expect(tables).to.deep.equal(["legacy_push_tokens"]);
  });
});
