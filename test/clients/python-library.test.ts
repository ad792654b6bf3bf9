import { expect } from "chai";
import { usePython } from "./support/python.ts";
import { useServer } from "./support/server.ts";

type Answer = Readonly<Record<string, unknown>>;

describe("The Python library", () => {
  const python = usePython();
  const server = useServer();
  const answers = new Map<string, Answer>();

  before("run the program", async () => {
    const { body } = await server.as("owner").post("/api/v1/messages", {
      type: "channel",
      to: "general",
      topic: "library",
      content: "**Read** by a program",
    });
    expect(body.result, body.msg).to.equal("success");
    const accounts = [await server.zuliprc("member"), await server.zuliprc("admin")];
    const program = python.script("library.py", accounts);
    expect(await program.exit, program.output()).to.include({ code: 0 });
    for (const { msg, answer } of program.lines) answers.set(msg, answer as Answer);
  });

  const answer = (call: string): Answer => {
    const found = answers.get(call);
    expect(found?.["result"], `${call}: ${JSON.stringify(found)}`).to.equal("success");
    return found ?? {};
  };
  const one = (call: string, list: string, match: Answer): Answer => {
    const found = (answer(call)[list] as Answer[]).filter((item) =>
      Object.entries(match).every(([name, value]) => item[name] === value),
    );
    expect(found, `${call}: ${list}`).to.have.length(1);
    return found[0] ?? {};
  };

  it("reads the server's settings and its own profile", () => {
    expect(answer("get_server_settings")).to.include({ zulip_feature_level: 496 });
    const profile = answer("get_profile");
    expect(profile).to.include({ email: server.account("member").email, full_name: "Max Member" });
    expect(profile["user_id"]).to.be.a("number");
    expect(profile["max_message_id"]).to.be.greaterThan(0);
    expect(answer("call_endpoint")).to.deep.equal(profile);
  });

  it("lists people, channels and subscriptions", () => {
    const owner = one("get_members", "members", { email: server.account("owner").email });
    expect(owner).to.include({ is_owner: true, is_bot: false });
    const channel = one("get_streams", "streams", { name: "general" });
    expect(channel["stream_id"]).to.be.a("number");
    expect(one("get_subscriptions", "subscriptions", { name: "general" })).to.include({
      stream_id: channel["stream_id"],
      is_muted: false,
    });
  });

  it("reads messages, as HTML by default", () => {
    const read = answer("get_messages");
    expect(read).to.include({ found_newest: true, history_limited: false });
    expect(one("get_messages", "messages", { subject: "library" })).to.include({
      content: "<p><strong>Read</strong> by a program</p>",
      content_type: "text/html",
      display_recipient: "general",
      sender_full_name: "Olivia Owner",
    });
  });

  it("renders a text without sending it", () => {
    expect(answer("render_message")).to.include({ rendered: "<p><em>slanted</em></p>" });
  });

  it("changes default settings, and gets the names of unsupported ones", () => {
    expect(answer("PATCH realm/user_settings_defaults")).to.deep.equal({
      result: "success",
      msg: "",
    });
  });

  it("creates profile fields, and sets people's values", () => {
    const { id } = answer("POST realm/profile_fields");
    const said = (call: string) =>
      (answer(call)["user"] as Answer)["profile_data"] as Readonly<Record<string, unknown>>;
    expect(said("get_user_by_id")).to.deep.equal({ [String(id)]: { value: "c" } });
    expect(said("get_user_by_id again")).to.deep.equal({ [String(id)]: { value: "python" } });
    const { custom_fields } = answer("GET realm/profile_fields");
    expect(custom_fields).to.deep.equal([
      {
        id,
        type: 3,
        order: 0,
        name: "Language",
        hint: "",
        field_data: '{"python":{"text":"Python","order":"1"},"c":{"text":"C","order":"2"}}',
        required: false,
        editable_by_user: true,
      },
    ]);
    for (const call of [
      "PATCH users/me/profile_data",
      "DELETE users/me/profile_data",
      "PATCH realm/profile_fields",
      "update_user_by_id",
      `DELETE realm/profile_fields/${String(id)}`,
    ])
      answer(call);
  });

  it("uploads a file that readers of its message can read until it is deleted", () => {
    const { url, uri, filename } = answer("upload_file");
    expect(filename).to.equal("library.py");
    expect(url).to.match(/^\/user_uploads\/\d+\/[0-9a-f]{2}\/[\w-]{24}\/library\.py$/);
    expect(uri).to.equal(url);
    expect(answer("GET user_uploads")["url"]).to.match(/^\/user_uploads\/temporary\//);
    expect(answer("temporary URL")).to.include({ same: true });
    const file = one("get_attachments", "attachments", { name: "library.py" });
    expect(file["path_id"]).to.equal(String(url).slice("/user_uploads/".length));
    expect(file["message_ids"]).to.deep.equal([answer("send_message with a file")["id"]]);
    expect(answer("get_attachments")["upload_space_used"]).to.equal(file["size"]);
    answer(`DELETE attachments/${String(file["id"])}`);
    expect(answer("get_attachments again")).to.include({ upload_space_used: 0 });
    expect(answers.get("GET user_uploads again")).to.include({
      result: "error",
      code: "BAD_REQUEST",
    });
  });

  it("adds an emoji and an avatar, and gets their events", () => {
    const [emoji] = Object.values(answer("get_realm_emoji")["emoji"] as Record<string, Answer>);
    expect(emoji).to.include({ name: "library_pixel", deactivated: false, still_url: null });
    expect(answer("upload_custom_emoji")).to.include({ msg: "" });
    expect(answer("POST users/me/avatar")["avatar_url"]).to.match(/\/user_avatars\/1\/.{24}\.png$/);
    expect(answer("DELETE users/me/avatar")["avatar_url"]).to.match(/^https:/);
    answer("DELETE realm/emoji/library_pixel");
    const events = answer("get_events")["events"] as Answer[];
    const kinds = events.map(({ type, op }) => `${String(type)}/${String(op)}`);
    expect(kinds).to.deep.equal([
      "realm_emoji/update",
      "realm_user/update",
      "realm_user/update",
      "realm_emoji/update",
    ]);
  });

  it("invites by mail and by a reusable link, and gets the events", () => {
    answer("POST invites");
    expect(answers.get("POST invites to an account")).to.deep.include({
      result: "error",
      code: "INVITATION_FAILED",
      errors: [[server.account("admin").email, "Already has an account", false]],
      sent_invitations: true,
      license_limit_reached: false,
      daily_limit_reached: false,
    });
    const invites = answer("GET invites")["invites"] as Answer[];
    expect(
      invites.map(({ email, invited_as, expiry_date }) => [
        email,
        invited_as,
        expiry_date === null,
      ]),
    ).to.deep.equal([
      ["one@example.com", 600, true],
      ["two@example.com", 600, true],
      ["three@example.com", 400, false],
    ]);
    answer("POST resend");
    answer("DELETE invites");
    expect(answer("the reusable link")["link_url"]).to.equal(
      answer("POST invites/multiuse")["invite_link"],
    );
    answer("DELETE invites/multiuse");
    const events = answer("invites_changed")["events"] as Answer[];
    expect(events.map(({ type }) => type)).to.deep.equal(Array(5).fill("invites_changed"));
  });

  it("sends once with an Idempotency-Key, and sees that the second answer is a replay", async () => {
    const { ids, markers } = answer("send_message");
    expect(markers).to.deep.equal(["false", "true"]);
    const [first, second] = ids as readonly number[];
    expect(second).to.equal(first);
    const sent = await server.db.rows("SELECT id FROM messages WHERE content = 'Sent once'");
    expect(sent).to.have.length(1);
  });
});
