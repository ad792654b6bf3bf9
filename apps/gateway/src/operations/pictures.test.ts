import {
  deleteAvatar,
  deleteIcon,
  deleteLogo,
  getServerSettings,
  getUser,
  register,
  updateRealm,
  uploadAvatar,
  uploadIcon,
  uploadLogo,
} from "@carillon/contract";
import {
  missing,
  organization,
  refused,
  refusedWith,
  send,
  sizeOfPng,
  testFiles,
  testGif,
  testPng,
  toUsers,
  usePictureWorker,
  user,
  useScene,
  watch,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Avatars, icon and logo", () => {
  const scene = useScene();
  usePictureWorker(scene.db);
  const { db } = scene;
  const site = () => scene.gateway.services.site.url;
  let own: TestAccount;
  beforeEach(async () => {
    own = await user(db, scene.org.realm);
  });

  /** Reads a picture without credentials. */
  const read = async (url: string, init: RequestInit = {}) => {
    expect(url.startsWith(`${site()}/user_avatars/`), url).to.equal(true);
    const response = await fetch(scene.gateway.url + url.slice(site().length), init);
    return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
  };
  const change = (account: TestAccount, picture: Blob = testPng(300, 200), name = "me.png") =>
    scene.as(account).call(uploadAvatar, { files: { [name]: picture } });
  const changed = async (account: TestAccount, picture?: Blob) => {
    const { body, status } = await change(account, picture);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.avatar_url;
  };
  const userOf = async (account: TestAccount, by = scene.org.admin) =>
    (await scene.as(by).succeed(getUser, { path: { user_id: account.id } })).user;

  it("makes two squares of an uploaded avatar, which everyone can read without credentials", async () => {
    const url = await changed(own);
    expect(url).to.match(
      new RegExp(`^${site()}/user_avatars/${scene.org.realm.id}/[A-Za-z0-9_-]{24}\\.png$`),
    );
    for (const [address, size] of [
      [url, 100],
      [url.replace(".png", "-medium.png"), 500],
    ] as const) {
      const { response, bytes } = await read(address);
      expect(response.status).to.equal(200);
      expect(sizeOfPng(bytes)).to.deep.equal([size, size]);
      const { headers } = response;
      expect(headers.get("content-type")).to.equal("image/png");
      expect(headers.get("cache-control")).to.equal("public, max-age=31536000, immutable");
      expect(headers.get("x-content-type-options")).to.equal("nosniff");
      expect(headers.get("vary") ?? "").not.to.include("Authorization");
      const etag = headers.get("etag") ?? "";
      const again = await read(address, { headers: { "If-None-Match": etag } });
      expect(again.response.status).to.equal(304);
    }
  });

  it("shows the new avatar in all answers, whoever asks and whether or not the client computes Gravatars", async () => {
    const hidden = await user(db, scene.org.realm, { settings: { email_address_visibility: 4 } });
    const url = await changed(hidden);
    const client = scene.as(hidden);
    for (const by of [scene.org.guest, scene.org.admin, hidden]) {
      const shown = await userOf(hidden, by);
      expect(shown).to.include({ avatar_url: url, avatar_version: 2 });
    }
    await send(client, toUsers([own.id]));
    const { body } = await scene.as(own).get("/api/v1/messages", {
      anchor: "newest",
      num_before: 1,
      num_after: 0,
      client_gravatar: true,
    });
    expect((body["messages"] as Array<{ avatar_url: string }>)[0]?.avatar_url).to.equal(url);
    const snapshot: Record<string, unknown> = await client.succeed(register);
    expect(snapshot).to.include({
      avatar_source: "U",
      avatar_url: url,
      avatar_url_medium: url.replace(".png", "-medium.png"),
    });
    expect((await client.get("/api/v1/users/me")).body).to.include({ avatar_url: url });
  });

  it("sends the new avatar to accounts that see its account, and again when it is removed", async () => {
    const { admin } = await watch(
      scene.gateway,
      { admin: { account: scene.org.admin } },
      async () => {
        await changed(own);
        await scene.as(own).succeed(deleteAvatar);
        await scene.as(own).succeed(deleteAvatar);
      },
    );
    const people = admin.map(({ person }) => person as Record<string, unknown>);
    expect(admin.map(({ type, op }) => `${type}/${op}`)).to.deep.equal([
      "realm_user/update",
      "realm_user/update",
    ]);
    expect(people[0]).to.have.all.keys(
      "user_id",
      "avatar_source",
      "avatar_url",
      "avatar_url_medium",
      "avatar_version",
    );
    expect(people[0]).to.include({ user_id: own.id, avatar_source: "U", avatar_version: 2 });
    expect(people[0]?.["avatar_url_medium"]).to.match(/\/user_avatars\/.*-medium\.png$/);
    expect(people[1]).to.include({ user_id: own.id, avatar_source: "G", avatar_version: 3 });
    expect(people[1]?.["avatar_url"]).to.match(/^https:\/\/secure\.gravatar\.com/);
  });

  it("hides the avatar of an account from guests who do not see the account", async () => {
    const closed = await organization(db);
    const { id } = await db.prisma.namedUserGroup.findFirstOrThrow({
      where: { realmId: closed.realm.id, name: "role:members" },
    });
    await db.rows("UPDATE realms SET can_access_all_users_group_id = $2 WHERE id = $1", [
      closed.realm.id,
      id,
    ]);
    const stranger = await user(db, closed.realm);
    const url = await changed(stranger);
    const picture = (by: TestAccount, query = "") =>
      scene.as(by).send("GET", `/avatar/${stranger.id}${query}`, { redirect: "manual" });
    const guest = await picture(closed.guest);
    expect([guest.status, guest.headers.get("content-type")]).to.deep.equal([200, "image/png"]);
    const seen = await picture(closed.member);
    expect([seen.status, seen.headers.get("location")]).to.deep.equal([302, url]);
    expect((await picture(closed.member, "?s=100")).headers.get("location")).to.equal(url);
    const medium = url.replace(".png", "-medium.png");
    expect((await picture(closed.member, "?s=101")).headers.get("location")).to.equal(medium);
  });

  it("keeps a former avatar for 30 days, and those of a deleted profile not at all", async () => {
    const first = await changed(own);
    const second = await changed(own);
    expect(second).not.to.equal(first);
    expect((await read(first)).response.status).to.equal(200);
    const deleted = await scene.as(scene.org.owner).delete(`/api/v1/users/${own.id}`, {
      actions: { delete_profile: true },
    });
    expect(deleted.status, deleted.text).to.equal(200);
    for (const url of [first, second]) {
      const answer = await scene.gateway.anonymous.send("GET", url.slice(site().length));
      missing(answer);
      expect(answer.headers.get("cache-control")).to.equal("no-store");
    }
    expect(await userOf(own)).to.include({ avatar_version: 4, full_name: "Deleted user" });
  });

  it("bounds the former avatars of an account", async () => {
    await db.rows(
      `WITH keys AS (SELECT lpad(translate(n::text, '0189', 'bcde'), 26, 'f') AS key, n FROM generate_series(1, 60) n),
        objects AS (INSERT INTO stored_objects (key) SELECT key FROM keys)
      INSERT INTO pictures (path, realm_id, user_id, object_key, content_type, size, sha256, replaced_at)
      SELECT $1::int || '/' || key, $1, $2, key, 'image/png', 1, '', now() - make_interval(hours => n) FROM keys`,
      [scene.org.realm.id, own.id],
    );
    await changed(own);
    await changed(own);
    const due = await db.rows<{ path: string }>(
      "SELECT path FROM pictures WHERE user_id = $1 AND replaced_at = '-infinity'",
      [own.id],
    );
    expect(due).to.have.length(22);
  });

  it("keeps nothing of the uploaded file but the pictures", async () => {
    const before = await db.prisma.storedObject.count({ where: { deleteAfter: { not: null } } });
    await changed(own);
    const keys = await db.prisma.storedObject.count({ where: { deleteAfter: { not: null } } });
    expect(keys).to.equal(before);
    expect(await db.prisma.pictureRequest.count()).to.equal(0);
    const kept = await db.prisma.picture.findMany({ where: { userId: own.id } });
    for (const { objectKey, size } of kept)
      expect(await testFiles().stat(objectKey)).to.deep.equal({ size });
    // It takes nothing of the quota.
    const used = await db.prisma.realmStorage.findUnique({
      where: { realmId: scene.org.realm.id },
    });
    expect(used?.bytesUsed ?? 0n).to.equal(0n);
  });

  it("refuses everything but one picture of at most 5 MiB", async () => {
    const post = (body: BodyInit, headers = {}) =>
      scene.as(own).send("POST", "/api/v1/users/me/avatar", { body, headers });
    const form = (...files: Array<readonly [string, Blob]>) => {
      const made = new FormData();
      for (const [name, blob] of files) made.append(name, blob, name);
      return made;
    };
    const png = testPng(4, 4);
    await refused(db, () => post(form()), "BAD_REQUEST");
    await refused(db, () => post(new URLSearchParams({ file: "x" })), "BAD_REQUEST");
    await refused(db, () => post(form(["a.png", png], ["b.png", png])), "BAD_REQUEST");
    const large = new Blob([png, new Uint8Array(5 * 1024 ** 2)], { type: "image/png" });
    await refused(db, () => post(form(["large.png", large])), "REQUEST_TOO_LARGE");
    const text = new Blob(["<svg/>"], { type: "image/svg+xml" });
    const disguised = new Blob(["<html>"], { type: "image/png" });
    const mislabelled = new Blob([png], { type: "image/gif" });
    const nameless = new Blob([png], { type: "application/pdf" });
    for (const blob of [text, disguised, mislabelled, nameless])
      await refused(db, () => post(form(["a.png", blob])), "BAD_IMAGE");
    const broken = new Blob([(await png.bytes()).subarray(0, 40)], { type: "image/png" });
    const head = Buffer.from(await testPng(1, 1).bytes());
    head.writeUInt32BE(20_000, 16);
    head.writeUInt32BE(20_000, 20);
    const huge = new Blob([head], { type: "image/png" });
    for (const blob of [broken, huge]) refusedWith(await change(own, blob), "BAD_IMAGE");
    expect(await userOf(own)).to.include({ avatar_version: 1 });
  });

  it("lets only administrators change avatars if the organization says so", async () => {
    const strict = await organization(db);
    const answer = await scene.as(strict.owner).succeed(updateRealm, {
      params: { avatar_changes_disabled: true },
    });
    expect(answer).to.include({ avatar_changes_disabled: true });
    await refused(db, () => change(strict.member), "BAD_REQUEST");
    await refused(db, () => scene.as(strict.member).call(deleteAvatar), "BAD_REQUEST");
    await changed(strict.admin);
    const snapshot: Record<string, unknown> = await scene.as(strict.member).succeed(register);
    expect(snapshot).to.include({ realm_avatar_changes_disabled: true });
  });

  it("requires credentials", async () => {
    await refused(db, () => scene.gateway.anonymous.call(uploadAvatar), "UNAUTHORIZED");
  });

  it("gives the organization an icon, and the generated one again", async () => {
    const client = scene.as(scene.org.admin);
    const files = { "icon.png": testPng(30, 60) };
    await refused(db, () => scene.as(own).call(uploadIcon, { files }), "UNAUTHORIZED_PRINCIPAL");
    await refused(db, () => scene.as(own).call(deleteIcon), "UNAUTHORIZED_PRINCIPAL");
    const { events } = await watch(scene.gateway, { events: { account: own } }, async () => {
      const { icon_url } = await client.succeed(uploadIcon, { files });
      const { bytes } = await read(icon_url);
      expect(sizeOfPng(bytes)).to.deep.equal([100, 100]);
      const settings = await scene.gateway.anonymous.succeed(getServerSettings);
      expect(settings.realm_icon).to.equal(icon_url);
      const snapshot: Record<string, unknown> = await scene.as(own).succeed(register);
      expect(snapshot).to.include({ realm_icon_url: icon_url, realm_icon_source: "U" });
      const { icon_url: without } = await client.succeed(deleteIcon);
      expect(without).to.match(/^https:\/\/secure\.gravatar\.com/);
      await client.succeed(deleteIcon);
    });
    expect(events.map(({ type, op, property }) => [type, op, property])).to.deep.equal([
      ["realm", "update_dict", "icon"],
      ["realm", "update_dict", "icon"],
    ]);
    expect(
      events.map(({ data }) => (data as Record<string, unknown>)["icon_source"]),
    ).to.deep.equal(["U", "G"]);
  });

  it("gives the organization logos by day and by night", async () => {
    const client = scene.as(scene.org.owner);
    const files = { "logo.png": testPng(1_600, 150) };
    const upload = (params: object) => client.call(uploadLogo, { files, params: { ...params } });
    refusedWith(await upload({}), "REQUEST_VARIABLE_MISSING", { var_name: "night" });
    refusedWith(await upload({ night: "maybe" }), "BAD_REQUEST");
    await refused(
      db,
      () => scene.as(own).call(uploadLogo, { files, params: { night: true } }),
      "UNAUTHORIZED_PRINCIPAL",
    );
    const { events } = await watch(scene.gateway, { events: { account: own } }, async () => {
      expect(Object.keys((await upload({ night: true })).body)).to.deep.equal(["result", "msg"]);
      // As a query parameter.
      const form = new FormData();
      form.append("logo", testPng(20, 10), "logo.png");
      const path = "/api/v1/realm/logo?night=false";
      expect((await client.send("POST", path, { body: form })).status).to.equal(200);
      await client.succeed(deleteLogo, { params: { night: true } });
      await refused(db, () => client.call(deleteLogo), "REQUEST_VARIABLE_MISSING");
    });
    expect(events.map(({ property }) => property)).to.deep.equal([
      "night_logo",
      "logo",
      "night_logo",
    ]);
    const data = events.map((event) => event["data"] as Record<string, string>);
    expect(data[0]).to.include({ night_logo_source: "U" });
    expect(sizeOfPng((await read(data[0]?.["night_logo_url"] ?? "")).bytes)).to.deep.equal([
      800, 75,
    ]);
    // Never made larger.
    expect(sizeOfPng((await read(data[1]?.["logo_url"] ?? "")).bytes)).to.deep.equal([20, 10]);
    expect(data[2]).to.deep.equal({
      night_logo_source: "D",
      night_logo_url: `${site()}/static/images/logo/carillon.svg`,
    });
    const snapshot: Record<string, unknown> = await scene.as(own).succeed(register);
    expect(snapshot).to.include({
      realm_logo_url: data[1]?.["logo_url"],
      realm_logo_source: "U",
      realm_night_logo_source: "D",
    });
    const logo = await fetch(`${scene.gateway.url}/static/images/logo/carillon.svg`);
    expect([logo.status, logo.headers.get("content-type")]).to.deep.equal([200, "image/svg+xml"]);
  });

  it("takes a moving picture for an avatar, and keeps its first frame", async () => {
    const { bytes } = await read(await changed(own, testGif));
    expect(sizeOfPng(bytes)).to.deep.equal([100, 100]);
  });
});
