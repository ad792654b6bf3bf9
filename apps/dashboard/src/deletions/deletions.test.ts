import { unqueuedIntents } from "@carillon/outbox";
import { deactivateUser } from "@carillon/domain";
import { deleteMessages } from "@carillon/jobs";
import {
  channel,
  childrenOf,
  deleteRecorded,
  organization,
  pastMessages,
  runJob,
  user,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";
import { useDashboard } from "../test-support.ts";
import type { DeletionView } from "./list.ts";

// users.md §4
describe("the dashboard's deletions", () => {
  const dashboard = useDashboard("postgres");
  let org: TestOrganization;
  let target: TestAccount;

  beforeEach(async () => {
    const { db } = dashboard();
    org = await organization(db);
    target = await user(db, org.realm);
    for (const count of [120, 30]) {
      const room = await channel(db, org.realm, { subscribers: [target] });
      await pastMessages(db, room, target, { count });
    }
    await deactivateUser(db, org.owner, target.id, {
      actions: {
        delete_profile: false,
        delete_public_channel_messages: true,
        delete_private_channel_messages: false,
        delete_direct_messages: true,
      },
    });
  });

  const shown = async () => {
    const { deletions } = (await dashboard().json("/deletions")) as { deletions: DeletionView[] };
    const found = deletions.find(({ userId }) => userId === target.id);
    if (!found) throw new Error("the deletion is not shown");
    return found;
  };
  const page = async () => (await dashboard().ask("/deletions")).text();
  const plan = async () => {
    const { db } = dashboard();
    const limits = { jobs: [deleteMessages.name], olderThanMs: 0, limit: 1 };
    const [intent] = await unqueuedIntents(db, limits);
    if (!intent) throw new Error("nothing is recorded");
    const { intentId, version } = intent;
    return childrenOf(runJob(db, deleteMessages, { intentId, version }));
  };

  it("show the progress of each, from its record to its end", async () => {
    expect(await shown()).to.deep.include({
      realmId: org.realm.id,
      actorId: org.owner.id,
      publicChannels: true,
      privateChannels: false,
      direct: true,
      state: "pending",
      steps: 0,
      planned: 0,
      deleted: 0,
      finishedAt: null,
    });
    const [first] = await plan();
    if (!first) throw new Error("nothing to do");
    await runJob<unknown>(dashboard().db, first.job, first.payload);
    expect(await shown()).to.include({ steps: 2, done: 1, planned: 150, deleted: 120 });
    expect(await page())
      .to.contain("120 of 150")
      .and.contain("1 of 2")
      .and.contain("public channels, direct conversations")
      .and.contain("running");
    await deleteRecorded(dashboard().db);
    const ended = await shown();
    expect(ended).to.include({ state: "done", steps: 2, done: 2, deleted: 150 });
    expect(ended.finishedAt).to.be.a("number");
    expect(await page()).to.contain("finished after");
  });

  it("show the error of a dead letter, escaped, with a link", async () => {
    await plan();
    const { db } = dashboard();
    await db.rows("UPDATE message_deletion_steps SET last_error = '<b>out</b>', failed_at = now()");
    await plan().catch(() => undefined);
    expect(await shown()).to.include({ state: "dead", lastError: "<b>out</b>" });
    const text = await page();
    expect(text).to.contain("dead letter").and.contain('href="/dead-letters"');
    expect(text).to.contain("&lt;b&gt;out").and.not.contain("<b>out");
  });
});
