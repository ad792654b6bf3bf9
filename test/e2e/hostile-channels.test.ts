import {
  addDefaultChannel,
  addSubscriptions,
  allOperations,
  archiveChannel,
  channelPermissions,
  createChannelFolder,
  deleteTopic,
  removeSubscriptions,
  reorderChannelFolders,
  updateChannel,
  updateChannelFolder,
  updateSubscriptionProperties,
  updateSubscriptions,
  type Operation,
} from "@carillon/contract";
import {
  channel,
  channelFolder,
  type Params,
  type TestChannel,
  unique,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import { hostile } from "./support/hostile.ts";

// channels.md: every parameter value is accepted or refused, without an internal error.
describe("Hostile values in channels and folders", function () {
  const scene = useScene();
  let room: TestChannel;
  let folderId: number;

  before(async () => {
    const { db, org } = scene;
    room = await channel(db, org.owner, { subscribers: [org.owner, org.member] });
    folderId = (await channelFolder(db, org.realm)).id;
  });

  /** Other parameters that a request needs to reach the check of the parameter. */
  const others: ReadonlyMap<Operation, () => Params> = new Map<Operation, () => Params>([
    [updateChannel, () => ({})],
    [archiveChannel, () => ({})],
    [deleteTopic, () => ({})],
    [addDefaultChannel, () => ({})],
    [createChannelFolder, () => ({ name: unique("folder"), description: "" })],
    [updateChannelFolder, () => ({})],
    [reorderChannelFolders, () => ({})],
    [addSubscriptions, () => ({ subscriptions: [{ name: room.name }] })],
    [removeSubscriptions, () => ({ subscriptions: [room.name] })],
    [updateSubscriptions, () => ({})],
    [updateSubscriptionProperties, () => ({})],
  ]);

  /** All permissions are parsed alike. */
  const [, ...alike] = Object.values(channelPermissions).map(({ name }) => name);

  for (const [operation, rest] of others)
    it(`in parameters: ${operation.id}`, async () => {
      const client = scene.as(scene.org.owner);
      const broken: string[] = [];
      const path = { stream_id: room.id, channel_folder_id: folderId };
      const names = Object.keys(operation.params).filter(
        (name) => !alike.some((one) => one === name),
      );
      for (const name of names)
        for (const [what, value] of hostile)
          for (const sent of name.endsWith("_group") ? [value, `{"new":${value}}`] : [value]) {
            const params = { ...rest(), [name]: sent };
            const { status, body } = await client.call(operation, { path, params });
            const refused = status === 400 || status === 409;
            if (status !== 200 && !(refused && typeof body.code === "string"))
              broken.push(`${name}, ${what}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
          }
      expect(broken.join("\n")).to.equal("");
    });

  it("in paths", async () => {
    const client = scene.as(scene.org.owner);
    const tried = [
      "0",
      "-1",
      "1.0",
      "2147483648",
      "9".repeat(1_000),
      "abc",
      "%00",
      "%zz",
      "null",
      "",
    ];
    const broken: string[] = [];
    for (const { method, path } of allOperations) {
      if (!/\/(streams|channel_folders)\/\{/.test(path)) continue;
      for (const which of tried) {
        const answer = await client.send(method, path.replace(/\{\w+\}/, which));
        if (![400, 404, 405].includes(answer.status))
          broken.push(
            `${method} ${path} with ${which}: ${answer.status} ${answer.text.slice(0, 200)}`,
          );
      }
    }
    expect(broken.join("\n")).to.equal("");
  });

  it("leave everything readable", async () => {
    for (const account of [scene.org.owner, scene.org.guest]) {
      const client = scene.as(account);
      const params = { include_all: true, exclude_archived: false };
      expect((await client.get("/api/v1/streams", params)).status).to.equal(200);
      expect(
        (await client.get("/api/v1/channel_folders", { include_archived: true })).status,
      ).to.equal(200);
      expect((await client.post("/api/v1/register")).status).to.equal(200);
    }
  });
});
