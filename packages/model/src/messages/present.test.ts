import { expect } from "chai";

import { fullUserVisibility } from "../users/user-visibility.ts";
import { presentMessage, type Presentation, type StoredMessage } from "./present.ts";

describe("the presentation of a message", () => {
  const person = (id: number, hasPublicGravatar = true) => ({
    id,
    email: `user${id}@carillon.test`,
    fullName: `User ${id}`,
    picture: { user_id: id, version: 4, hash: `hash${id}`, shown_to: [100, 200] },
    hasPublicGravatar,
    isImportedStub: id === 3,
    isBot: false,
  });
  const message: StoredMessage = {
    id: 7,
    sentAt: 1_750_000_000.999,
    sender: person(2),
    client: "test",
    recipientId: 5,
    place: { channel: { id: 4, name: "kitchen" }, topic: "" },
    content: "/me cooks",
    renderedContent: "<p>/me cooks</p>",
    editHistory: null,
    reactions: [],
    submessages: [],
  };
  const presentation: Presentation = {
    realm: {
      subdomain: "",
      emptyTopicDisplayName: "misc",
      editHistoryPolicy: "all",
      linkifiers: "[]",
    },
    applyMarkdown: true,
    clientGravatar: true,
    siteUrl: "https://chat.test",
    viewer: { id: 9, role: 100 },
    allowEmptyTopicName: false,
    userVisibility: fullUserVisibility,
  };

  it("truncates the time to whole seconds and shows the content in the requested format", () => {
    expect(presentMessage(message, [], presentation)).to.include({
      timestamp: 1_750_000_000,
      content: "<p>/me cooks</p>",
      content_type: "text/html",
      is_me_message: true,
      sender_realm_str: "",
    });
    const raw = presentMessage(message, [], { ...presentation, applyMarkdown: false });
    expect(raw).to.include({ content: "/me cooks", content_type: "text/x-markdown" });
  });

  it("shows the empty topic of a channel by its display name, but not of a direct message", () => {
    expect(presentMessage(message, [], presentation)).to.include({
      subject: "misc",
      stream_id: 4,
      display_recipient: "kitchen",
    });
    const knowing = { ...presentation, allowEmptyTopicName: true };
    expect(presentMessage(message, [], knowing).subject).to.equal("");
    const direct = { ...message, place: { participants: [person(3), person(2)] } };
    const shown = presentMessage(direct, [], presentation);
    expect(shown)
      .to.include({ type: "private", subject: "" })
      .and.not.to.have.property("stream_id");
    expect(shown.display_recipient).to.deep.equal([
      { id: 2, email: "user2@carillon.test", full_name: "User 2", is_mirror_dummy: false },
      { id: 3, email: "user3@carillon.test", full_name: "User 3", is_mirror_dummy: true },
    ]);
  });

  it("leaves the avatar to clients only if they can compute it and request this", () => {
    const avatar = (options: object, publicGravatar: boolean) =>
      presentMessage({ ...message, sender: person(2, publicGravatar) }, [], {
        ...presentation,
        ...options,
      }).avatar_url;
    expect(avatar({}, true)).to.equal(null);
    const gravatar = "https://secure.gravatar.com/avatar/hash2?d=identicon&version=4";
    expect(avatar({}, false)).to.equal(gravatar);
    expect(avatar({ clientGravatar: false }, true)).to.equal(gravatar);
    expect(avatar({ viewer: { id: 2, role: 600 } }, false)).to.equal(gravatar);
    const own = "https://chat.test/avatar/2?version=4";
    expect(avatar({ viewer: { id: 9, role: 300 } }, false)).to.equal(own);
  });
});
