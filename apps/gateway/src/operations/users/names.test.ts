import {
  channel as makeChannel,
  trickyTexts,
  refused,
  user,
  useScene,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Names of accounts, groups and channels", () => {
  const scene = useScene();
  const { db } = scene;
  let own: TestAccount;
  before("make a channel", () => makeChannel(db, scene.org.owner));
  beforeEach(async () => {
    own = await user(db, scene.org.realm);
  });

  const rename = (full_name: string, account = own) =>
    scene.as(account).patch("/api/v1/settings", { full_name });
  const addBot = (full_name: string) =>
    scene.as(scene.org.owner).post("/api/v1/bots", { full_name, short_name: `b${Date.now()}` });
  const group = (name: string) =>
    scene.as(scene.org.owner).post("/api/v1/user_groups/create", {
      name,
      description: "",
      members: JSON.stringify([]),
    });
  const channel = (name: string) =>
    scene.as(scene.org.owner).post("/api/v1/channels/create", {
      name,
      subscribers: JSON.stringify([]),
    });
  const subscribe = (name: string) =>
    scene.as(scene.org.owner).post("/api/v1/users/me/subscriptions", {
      subscriptions: JSON.stringify([{ name }]),
    });
  const renameChannel = async (new_name: string) => {
    const { id } = await db.prisma.channel.findFirstOrThrow({
      where: { realmId: scene.org.realm.id },
    });
    return scene.as(scene.org.owner).patch(`/api/v1/streams/${id}`, {
      new_name: JSON.stringify(new_name),
    });
  };

  const naming = { rename, addBot, group, channel, subscribe, renameChannel };
  for (const [by, ask] of Object.entries(naming))
    for (const [text, character] of [
      ["Oli\u200bvia", "U+200B"],
      ["Oli\u00advia", "U+00AD"],
      ["\u202dOlivia", "U+202D"],
      ["\u3164", "U+3164"],
    ] as const)
      it(`refuse ${character} and name it, if ${by} sets one`, async () => {
        const body = await refused(db, () => ask(text), "BAD_REQUEST");
        expect(body["msg"]).to.contain(character);
      });

  for (const [by, ask] of Object.entries({ rename, addBot, group }))
    for (const name of [
      "Notification Bot",
      "welcome  bot",
      "all",
      "EVERYONE",
      "ｃhannel",
      "stream",
      "Topic",
      "\u0430ll",
      "aIl",
      "\u0415veryone",
      "Notific\u0430tion Bot",
      "WELCOME \u0412\u043eT",
    ])
      it(`refuse ${name}, which the server uses itself, if ${by} sets one`, async () => {
        await refused(db, () => ask(name), "BAD_REQUEST");
      });

  it("keep joiners that a script or an emoji needs", async () => {
    for (const name of ["می\u200cخواهم", "Ann 👩\u200d🚀"]) {
      expect((await rename(name)).status).to.equal(200);
      expect((await channel(`${name} ${own.id}`)).status).to.equal(200);
    }
  });

  it("are stored with single spaces", async () => {
    expect((await rename("Olivia \u00a0  Owner")).status).to.equal(200);
    const { fullName } = await db.prisma.user.findUniqueOrThrow({ where: { id: own.id } });
    expect(fullName).to.equal("Olivia Owner");
  });

  it("differ in more than invisible characters, spaces and case, in any script, if they must be unique", async () => {
    await db.prisma.realm.update({
      where: { id: scene.org.realm.id },
      data: { requireUniqueNames: true },
    });
    try {
      const there = await user(db, scene.org.realm, { fullName: "Pat\u200b  Old\u00ad" });
      await refused(db, () => rename("pat old"), "BAD_REQUEST");
      // An existing name of an earlier version does not prevent other changes.
      expect((await rename("Pat\u200b  Old\u00ad", there)).status).to.equal(200);
      const wrong: string[] = [];
      for (const [n, text] of trickyTexts.entries()) {
        if (/\u200c|\u00ad|\u0345/.test(text)) continue;
        const name = `${n} ${text}x`;
        await user(db, scene.org.realm, { fullName: name });
        for (const other of new Set([name.toLowerCase(), name.toUpperCase()])) {
          const [{ same } = { same: false }] = await db.rows<{ same: boolean }>(
            "SELECT lower(normalize($1, NFKC)) = lower(normalize($2, NFKC)) AS same",
            [name, other],
          );
          const { status, body } = await rename(other);
          const isAlike = String(body["msg"]).includes("looks like");
          if (same ? status !== 400 || isAlike : status !== 200 && !isAlike)
            wrong.push(`${name}, ${other}`);
        }
      }
      expect(wrong).to.deep.equal([]);
    } finally {
      await db.prisma.realm.update({
        where: { id: scene.org.realm.id },
        data: { requireUniqueNames: false },
      });
    }
  });

  it("do not look alike if they must be unique, except for existing ones", async () => {
    const unique = (requireUniqueNames: boolean) =>
      db.prisma.realm.update({ where: { id: scene.org.realm.id }, data: { requireUniqueNames } });
    await user(db, scene.org.realm, { fullName: "Ian Doe" });
    const twin = await user(db, scene.org.realm, { fullName: "\u0406an Doe" });
    await user(db, scene.org.realm, { fullName: "\u0412asil", isActive: false });
    await unique(true);
    try {
      for (const name of ["l\u0430n Doe", "\u0456\u0430n doe", "lan  Doe", "Bas\u0456l", "basil"]) {
        const { msg } = await refused(db, () => rename(name), "BAD_REQUEST");
        expect(msg, name).to.contain("looks like this one");
      }
      expect((await rename("Lan Doe")).status).to.equal(200);
      expect((await rename("\u0406an Doe", twin)).status).to.equal(200);
    } finally {
      await unique(false);
    }
    expect((await rename("\u0406an D\u043ee")).status).to.equal(200);
  });

  it("of bots do not look like those of active accounts", async () => {
    await user(db, scene.org.realm, { fullName: "Cashier" });
    await user(db, scene.org.realm, { fullName: "Gone Cashier", isActive: false });
    await refused(db, () => addBot("\u0421\u0430shier"), "BAD_REQUEST");
    expect((await addBot("Gone \u0421\u0430shier")).status).to.equal(200);
  });

  it("of channels from an earlier version are still found", async () => {
    const { id } = await db.prisma.channel.findFirstOrThrow({
      where: { realmId: scene.org.realm.id },
    });
    await db.rows("UPDATE channels SET name = $2 WHERE id = $1", [id, "old\u200bname"]);
    expect((await subscribe("old\u200bname")).status).to.equal(200);
  });
});
