import type { Draft } from "@carillon/client";
import { expect } from "chai";
import { storage } from "../storage.ts";
import { Plans } from "../store/plans.ts";
import { Settings } from "../store/settings.ts";
import { DraftKeeper } from "./draft-keeper.ts";

const place = { channelId: 1, topic: "herons" };

describe("The draft of a compose box", () => {
  let plans: Plans;
  let nextId: number;
  beforeEach(() => {
    plans = new Plans();
    nextId = 1;
    for (const key of storage.keys("")) storage.remove(key);
  });

  function store(content: string, id = nextId++): number {
    const [type, to] = ["stream", [place.channelId]] as const;
    plans.drafts.set(id, { id, type, to: [...to], topic: place.topic, content, timestamp: id });
    return id;
  }
  const contents = () => plans.drafts.all().map(({ content }) => content);
  /** Makes a box of this browser. Its server trims contents, and sends the events of changes at once. */
  function box() {
    const client = {
      createDrafts: ({ drafts }: { drafts?: readonly Pick<Draft, "content">[] }) =>
        Promise.resolve({ ids: (drafts ?? []).map(({ content }) => store(content.trim())) }),
      editDraft: ({ draft_id, draft }: { draft_id: number; draft: { content: string } }) =>
        Promise.resolve(void store(draft.content.trim(), draft_id)),
      deleteDraft: ({ draft_id }: { draft_id: number }) =>
        Promise.resolve(plans.drafts.delete(draft_id)),
    };
    const keeper = new DraftKeeper(
      { plans, settings: new Settings(), client: client as never },
      "draft:view",
    );
    /** Waits until the queued requests have ended. */
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    return {
      adopt: () => keeper.adopt(place),
      type: (content: string) => keeper.keep(place, content),
      follow: () => keeper.forgetChange(),
      close: async () => {
        keeper.close();
        await settle();
      },
      write: async (content: string) => {
        keeper.keep(place, content);
        keeper.close();
        await settle();
      },
      send: async () => {
        keeper.drop();
        await settle();
      },
    };
  }

  it("follows the text, is shared by the tabs of a browser, and is deleted with it", async () => {
    const [one, other] = [box(), box()];
    await one.write("Half ");
    await other.write("Half a thought");
    await one.write("Half a thought, finished");
    expect(contents()).to.deep.equal(["Half a thought, finished"]);
    await other.send();
    expect(contents()).to.deep.equal([]);
  });

  it("is stored by the tab that has changed the text last", async () => {
    const [one, other] = [box(), box()];
    one.type("Half");
    other.type("Half a thought");
    one.follow();
    await other.close();
    await one.close();
    expect(contents()).to.deep.equal(["Half a thought"]);
  });

  it("replaces a draft of another device if the box has shown it", async () => {
    store("from the phone");
    const { adopt, write, send } = box();
    expect(adopt()).to.equal("from the phone");
    await write("from the phone and here");
    expect(contents()).to.deep.equal(["from the phone and here"]);
    await send();
    expect(contents()).to.deep.equal([]);
  });

  it("leaves a draft of another device alone if the box has not shown it", async () => {
    store("from the phone");
    const { write, send } = box();
    await write("from here");
    expect(contents()).to.deep.equal(["from the phone", "from here"]);
    await send();
    expect(contents()).to.deep.equal(["from the phone"]);
  });

  it("becomes a new draft after another device has changed the old one", async () => {
    const { write, send } = box();
    await write("from here");
    store("changed on the phone", 1);
    await write("from here again");
    expect(contents()).to.deep.equal(["changed on the phone", "from here again"]);
    store("and again", 2);
    await send();
    expect(contents()).to.deep.equal(["changed on the phone", "and again"]);
  });
});
