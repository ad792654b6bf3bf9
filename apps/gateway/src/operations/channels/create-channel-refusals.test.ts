import { createChannel } from "@carillon/contract";
import {
  channelCreating,
  organization,
  unique,
  user,
  useGateway,
  useScene,
  withOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("POST /channels/create: refusals", () => {
  const scene = useScene();
  const second = useGateway(scene.db);
  const { create, created, refuses } = channelCreating(scene);

  describe("refuses", () => {
    it("guests", () => refuses({}, scene.org.guest));

    for (const name of ["name", "subscribers"] as const) {
      it(`a request without ${name}`, async () => {
        const body = await refuses({ [name]: undefined }, scene.org.member, {
          code: "REQUEST_VARIABLE_MISSING",
        });
        expect(body).to.include({ var_name: name });
      });
    }

    for (const [title, name] of [
      ["blank", " \t "],
      ["of more than 60 characters", "x".repeat(61)],
      ["with a control character", "a\u0001b"],
      ["with U+0000", "a\u0000b"],
      ["with a line break", "a\nb"],
      ["with a non-character", "a\ufdd0b"],
      ["with a non-character outside the BMP", "a\u{1fffe}b"],
    ]) {
      it(`a name ${title}`, () => refuses({ name }));
    }

    it("a name that another channel has in any case, including archived and invisible channels", async () => {
      const exists = { status: 409, code: "CHANNEL_ALREADY_EXISTS" };
      const open = await created({ name: "Ärger" });
      const body = await refuses({ name: " äRGER " }, scene.org.member, exists);
      expect(body).to.have.all.keys("result", "msg", "code");
      await scene.db.prisma.channel.update({
        where: { id: open.stream_id },
        data: { isArchived: true },
      });
      await refuses({ name: "Ärger" }, scene.org.member, exists);
      await create({ name: "hidden", invite_only: true }, scene.org.admin);
      await refuses({ name: "Hidden" }, scene.org.member, exists);
    });

    it("no name that is only used in another organization", async () => {
      const other = await organization(scene.db);
      await create({ name: "shared" }, other.member);
      expect((await created({ name: "shared" })).name).to.equal("shared");
    });

    it("a description of more than 1024 characters", () =>
      refuses({ description: "x".repeat(1025) }));

    for (const [name, value] of [
      ["invite_only", "yes"],
      ["subscribers", "[true]"],
      ["subscribers", "7"],
      ["folder_id", '"1"'],
      ["message_retention_days", "0"],
      ["message_retention_days", "1.5"],
      ["message_retention_days", "forever"],
      ["message_retention_days", "99999999999"],
      ["topics_policy", "no_topics"],
      ["can_send_message_group", '"role:everyone"'],
      ["can_send_message_group", '{"direct_members":[]}'],
      ["can_send_message_group", "[1]"],
    ] as const) {
      it(`${name} = ${value}`, () => refuses({ [name]: value }, scene.org.owner));
    }

    it("accounts that are unknown, deactivated, of another organization or system bots", async () => {
      const other = await organization(scene.db);
      const gone = await user(scene.db, scene.org.realm, { isActive: false });
      for (const id of [
        2_000_000_000,
        99_999_999_999,
        gone.id,
        other.member.id,
        scene.org.welcomeBot.id,
      ])
        await refuses({ subscribers: [scene.org.member.id, id] });
    });

    it("folders that are unknown or of another organization", async () => {
      const other = await organization(scene.db);
      const folder = await scene.db.prisma.channelFolder.create({
        data: { realmId: other.realm.id, name: "Theirs" },
      });
      await refuses({ folder_id: 2_000_000_000 });
      await refuses({ folder_id: folder.id });
    });

    it("a deletion permission if the creator may not set the organization's", async () => {
      for (const setting of ["can_delete_any_message_group", "can_delete_own_message_group"]) {
        await refuses({ [setting]: scene.org.groups["role:members"] });
        await created({ [setting]: scene.org.groups["role:nobody"] });
        await created({ [setting]: scene.org.groups["role:members"] }, scene.org.moderator);
      }
    });

    it("creators without the permission for public or private channels", async () => {
      const nobody = scene.org.groups["role:nobody"];
      await withOrganization(scene, { canCreatePublicChannelGroupId: nobody }, async () => {
        await refuses({}, scene.org.owner);
        await created({ invite_only: true });
      });
      await withOrganization(scene, { canCreatePrivateChannelGroupId: nobody }, async () => {
        await refuses({ invite_only: true }, scene.org.owner);
        await created({});
      });
    });

    it("default channels from members, and private default channels", async () => {
      await refuses({ is_default_stream: true }, scene.org.moderator);
      await refuses({ is_default_stream: true, invite_only: true }, scene.org.admin);
    });

    it("web-public channels if disabled or from members, and private web-public channels", async () => {
      await refuses({ is_web_public: true }, scene.org.owner);
      await withOrganization(scene, { enableSpectatorAccess: true }, async () => {
        await refuses({ is_web_public: true }, scene.org.admin);
        await refuses({ is_web_public: true, invite_only: true }, scene.org.owner);
      });
    });

    it("a retention policy from callers other than owners", () =>
      refuses({ message_retention_days: 5 }, scene.org.admin, { code: "UNAUTHORIZED_PRINCIPAL" }));

    it("a topics policy from callers who may not set one", () =>
      withOrganization(
        scene,
        { canSetTopicsPolicyGroupId: scene.org.groups["role:nobody"] },
        async () => {
          await refuses({ topics_policy: "allow_empty_topic" });
          await created({ topics_policy: "inherit" });
          await created({ topics_policy: "allow_empty_topic" }, scene.org.admin);
        },
      ));

    it("restricted topic creation with protected history", async () => {
      const members = scene.org.groups["role:members"];
      const body = await refuses({ invite_only: true, can_create_topic_group: members });
      expect(Reflect.get(body, "parameters")).to.equal(
        "history_public_to_subscribers, can_create_topic_group",
      );
      await created({
        invite_only: true,
        history_public_to_subscribers: true,
        can_create_topic_group: members,
      });
      await created({ can_create_topic_group: members });
    });

    it("all but one of several racing requests for a name, over two gateways and in any case", async () => {
      const name = unique("room");
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 === 0 ? scene.gateway : second).as(scene.org.member).call(createChannel, {
            params: {
              name: i % 3 === 0 ? name : name.toUpperCase(),
              subscribers: [scene.org.member.id],
            },
          }),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses).to.have.members([200, 409, 409, 409, 409, 409, 409, 409]);
    });
  });
});
