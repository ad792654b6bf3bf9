import { botCommand } from "@carillon/jobs";
import {
  botAnswers,
  channel,
  createdSeries,
  dailySeries,
  openCommands,
  runJob,
  send,
  toUsers,
  useBlocker,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("the first command to a scheduling bot of an installation", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);

  it("does not keep other people's commands waiting while it is done", async () => {
    const { db, org } = scene;
    const [first, second] = [await user(db, org.realm), await user(db, org.realm)];
    const room = await channel(db, org.realm, { subscribers: [first] });
    const series = await createdSeries(scene.as(first), dailySeries(room.id));
    const command = (content: string) => toUsers([org.schedulingBot.id], { content });
    await send(scene.as(first), command(`pause s${series}`));
    await send(scene.as(second), command("list"));
    const open = await openCommands(db);
    await blocker.lock("SELECT FROM message_series WHERE id = $1 FOR UPDATE", [series]);
    const pausing = runJob(db, botCommand, open.at(0)!);
    await blocker.untilWaiting(1, "the first command waits for the series");
    await runJob(db, botCommand, open.at(1)!);
    expect(await botAnswers(db, org.schedulingBot, second)).to.have.length(1);
    expect(await botAnswers(db, org.schedulingBot, first)).to.have.length(0);
    await blocker.release();
    await pausing;
    expect(await botAnswers(db, org.schedulingBot, first)).to.have.length(1);
  });
});
