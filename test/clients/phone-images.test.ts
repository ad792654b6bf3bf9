import { type GatewayClient, pngPicture, upload } from "@carillon/testkit";
import { expect } from "chai";
import * as z from "zod";
import { previewsOf } from "./support/image-preview.ts";
import { useServer } from "./support/server.ts";
import { eventBatch, parsed } from "./support/shapes.ts";

const updateMessage = z.object({
  type: z.literal("update_message"),
  message_id: z.int(),
  user_id: z.null(),
  rendering_only: z.literal(true),
  rendered_content: z.string(),
});

/** The app cannot read the snapshot if an emoji has another shape. */
const emoji = z.object({
  id: z.string(),
  name: z.string(),
  source_url: z.string(),
  still_url: z.string().nullable(),
  deactivated: z.boolean(),
  author_id: z.int().nullable(),
});

describe("The phone app and images", () => {
  const server = useServer();
  let phone: GatewayClient;
  before("log in", () => (phone = server.as("member")));

  async function register(...types: readonly string[]) {
    const { body } = await phone.post("/api/v1/register", {
      event_types: types,
      client_capabilities: { individual_emoji_changes: true },
    });
    const shape = z.object({
      queue_id: z.string(),
      last_event_id: z.int(),
      realm_emoji: z.record(z.string(), emoji).optional(),
    });
    return parsed(shape, body);
  }

  it("shows a placeholder, then the thumbnail that the event brings", async () => {
    const { queue_id, last_event_id } = await register("update_message");
    const { url } = await upload(phone, "photo.png", pngPicture(1_200, 900), "image/png");
    const sent = await server.as("member").post("/api/v1/messages", {
      type: "channel",
      to: "general",
      topic: "chimes",
      content: `[photo.png](${url})`,
    });
    expect(sent.status, sent.text).to.equal(200);
    const path = `/api/v1/messages/${String(sent.body["id"])}`;
    const read = async () => {
      const shape = z.object({ message: z.object({ content: z.string() }) });
      return previewsOf(parsed(shape, (await phone.get(path)).body).message.content);
    };
    const first = await read();
    expect(first.map(({ href }) => href)).to.deep.equal([url]);

    const heard = await phone.get("/api/v1/events", { queue_id, last_event_id });
    const [event] = parsed(eventBatch, heard.body).events;
    const update = parsed(updateMessage, event);
    expect(update.message_id).to.equal(sent.body["id"]);
    const made = previewsOf(update.rendered_content);
    const thumbnail = url.replace("/user_uploads/", "/user_uploads/thumbnail/") + "/840x560.webp";
    expect(made).to.deep.equal([{ href: url, thumbnail, dimensions: "1200x900" }]);
    expect(await read()).to.deep.equal(made);

    const { email, apiKey } = server.account("member");
    const credentials = Buffer.from(`${email}:${apiKey}`).toString("base64");
    const image = await fetch(server.url + thumbnail, {
      headers: { Authorization: `Basic ${credentials}` },
    });
    expect(image.headers.get("Content-Type")).to.equal("image/webp");
    expect(Buffer.from(await image.arrayBuffer()).toString("latin1", 8, 12)).to.equal("WEBP");
  });

  it("reads a custom emoji in the snapshot, and shows its picture in a message", async () => {
    const owner = server.as("owner");
    const form = new FormData();
    form.set("file", new Blob([pngPicture(80, 80)], { type: "image/png" }), "bell.png");
    const added = await owner.send("POST", "/api/v1/realm/emoji/bell_tower", { body: form });
    expect(added.status, added.text).to.equal(200);
    const { realm_emoji: all = {} } = await register("realm_emoji");
    const known = parsed(emoji, Object.values(all)[0]);
    expect(known).to.include({ name: "bell_tower", deactivated: false, still_url: null });
    const sent = await phone.post("/api/v1/messages/render", { content: ":bell_tower:" });
    expect(sent.body["rendered"]).to.equal(
      `<p><img alt=":bell_tower:" class="emoji" src="${known.source_url}" title="bell tower"></p>`,
    );
    const image = await fetch(server.url + known.source_url);
    expect([image.status, image.headers.get("Content-Type")]).to.deep.equal([200, "image/png"]);
  });
});
