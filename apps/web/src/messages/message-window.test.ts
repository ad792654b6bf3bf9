import type { Message } from "@carillon/client";
import { expect } from "chai";
import { allMessages } from "../route.ts";
import { Channels } from "../store/channels.ts";
import { Messages } from "../store/messages.ts";
import { sendFirstRequest } from "./first-request.ts";
import { MessageWindow } from "./message-window.ts";

describe("The loaded messages of a view", () => {
  /** Makes a view of all messages, whose server has messages with these ids. */
  function viewOf(ids: Set<number>) {
    const messageOf = (id: number) =>
      ({ id, content: `at ${ids.size}`, flags: ["read"] }) as unknown as Message;
    const requests: number[] = [];
    const getMessages = ({ message_ids }: { message_ids?: readonly number[] }) => {
      const found = message_ids ?? [...ids];
      requests.push(found.length);
      const messages = found.filter((id) => ids.has(id)).map(messageOf);
      return Promise.resolve({ messages, found_oldest: true, found_newest: true });
    };
    const messages = new Messages();
    const source = { channels: new Channels(), messages, client: { getMessages } as never };
    return { view: new MessageWindow(source, [], null), client: source.client, messages, requests };
  }

  it("come from the request that was sent before the view was drawn, the first time only", async () => {
    const ids = new Set([1, 2]);
    const { view, client, requests } = viewOf(ids);
    sendFirstRequest(client, allMessages);
    ids.add(3);
    await view.load();
    expect(view.loaded.value.ids).to.deep.equal([1, 2]);
    expect(requests).to.have.length(1);
    await view.load();
    expect(view.loaded.value.ids).to.deep.equal([1, 2, 3]);
  });

  it("do not come from an earlier request for another view", async () => {
    const { view, client, requests } = viewOf(new Set([1]));
    sendFirstRequest(client, { page: "messages", terms: [], near: 1 });
    await view.load();
    expect(requests).to.have.length(2);
  });

  it("are all read again after a lost queue, in requests of at most 2,000", async () => {
    const ids = new Set(Array.from({ length: 5_100 }, (_, index) => index + 1));
    const { view, messages, requests } = viewOf(ids);
    await view.load();
    expect(view.loaded.value.ids).to.have.length(5_100);
    for (const id of [1, 2_500, 5_100]) ids.delete(id);
    await view.refresh();
    expect(view.loaded.value.ids).to.deep.equal([...ids]);
    expect(new Set([...ids].map((id) => messages.get(id)?.value.content)).size).to.equal(1);
    expect(requests).to.deep.equal([5_100, 2_000, 2_000, 1_100]);
  });
});
