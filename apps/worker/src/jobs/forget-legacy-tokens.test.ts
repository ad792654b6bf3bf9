import { addFcmToken, regenerateApiKey } from "@carillon/contract";
import { forgetLegacyTokens } from "@carillon/jobs";
import { changesOf, device, runJob, user, useScene, type TestAccount } from "@carillon/testkit";
import { expect } from "chai";

// push.md §5, users.md §1
describe("Legacy push tokens, when their account gets another API key", () => {
  const scene = useScene();
  let me: TestAccount;
  beforeEach(async () => {
    me = await user(scene.db, scene.org.realm);
  });

  const add = (token: string, by = me) => scene.as(by).succeed(addFcmToken, { params: { token } });
  const tokens = async (by = me) => {
    const rows = await scene.db.prisma.legacyPushToken.findMany({ where: { userId: by.id } });
    return rows.map(({ token }) => token).sort();
  };
  const pending = () =>
    scene.db.rows<{ intentId: number; version: number }>(
      `SELECT id AS "intentId", version FROM job_intent
       WHERE job = 'forget-legacy-tokens' AND state = 'pending' ORDER BY id`,
    );
  /** The account with the key that it has from now on. */
  const regenerate = async (by = me): Promise<TestAccount> => {
    const { api_key } = await scene.as(by).succeed(regenerateApiKey);
    return { ...by, apiKey: api_key };
  };

  it("are removed by a job; devices stay", async () => {
    await device(scene.db, me, { active: 1 });
    await add("one");
    await add("two");
    await add("theirs", scene.org.owner);
    await regenerate();
    expect(await tokens()).to.deep.equal(["one", "two"]);
    const jobs = await pending();
    expect(jobs).to.have.length(1);
    for (const job of [...jobs, ...jobs]) await runJob(scene.db, forgetLegacyTokens, job);
    expect(await tokens()).to.deep.equal([]);
    expect(await tokens(scene.org.owner)).to.deep.equal(["theirs"]);
    expect(await scene.db.prisma.clientDevice.count({ where: { userId: me.id } })).to.equal(1);
  });

  it("stay if they are registered with the new key before the job runs, also existing ones", async () => {
    await add("old");
    await add("both");
    const renewed = await regenerate();
    await add("both", renewed);
    await add("new", renewed);
    for (const job of await pending()) await runJob(scene.db, forgetLegacyTokens, job);
    expect(await tokens()).to.deep.equal(["both", "new"]);
  });

  it("need a job only if there are any, once for each key", async () => {
    const { tables } = await changesOf(scene.db, () => regenerate(scene.org.member));
    expect(tables).not.to.include("job_intent");
    await add("one");
    const renewed = await regenerate();
    // The first job has not run, and does the work of both.
    const again = await regenerate(renewed);
    expect(await pending()).to.have.length(1);
    await add("two", again);
    await regenerate(again);
    const jobs = await pending();
    expect(jobs).to.have.length(2);
    for (const job of jobs.toReversed()) await runJob(scene.db, forgetLegacyTokens, job);
    expect(await tokens()).to.deep.equal([]);
    expect(await pending()).to.deep.equal([]);
  });

  it("are not in the job's data", async () => {
    await add("SecretToken");
    await regenerate();
    const rows = await scene.db.rows("SELECT * FROM job_intent");
    expect(JSON.stringify(rows)).not.to.contain("SecretToken");
  });
});
