import { expect } from "chai";
import type { FailureView } from "./find-failures.ts";
import { timelineOf } from "./timeline.ts";

const pending = {
  state: "pending",
  version: 1,
  createdAt: 100,
  requestId: "r-1",
  clientName: "website",
  enqueuedAt: null,
  deliverAt: 200,
  sentAt: null,
  endedAt: null,
  endedBy: null,
  deliveredMessageId: null,
} as const;

const failure: FailureView = {
  scheduledMessageId: 1,
  version: 1,
  dueAt: 200,
  failedAt: 200.5,
  reason: "No.",
  process: "h:7",
  noticeId: 55,
};

/** The steps as lines: time, what, facts. */
const lines = (...args: Parameters<typeof timelineOf>) =>
  timelineOf(...args).map(({ at, what, facts }) =>
    [at, what, ...Object.entries(facts).map(([name, value]) => `${name}=${value}`)].join(" "),
  );

describe("the timeline of a message", () => {
  it("begins with its request, and ends with the due time", () => {
    expect(lines({ ...pending, enqueuedAt: 101 }, [])).to.deep.equal([
      "100 scheduled request=r-1 program=website",
      "101 delivery job queued version=1",
      "200 due version=1",
    ]);
  });

  it("shows the process that claimed and sent it, the message, and the latency", () => {
    const sent = {
      ...pending,
      state: "delivered",
      enqueuedAt: 100,
      sentAt: 201.5,
      endedAt: 202,
      endedBy: "h:7",
      deliveredMessageId: 9,
    } as const;
    expect(lines(sent, [])).to.deep.equal([
      "100 scheduled request=r-1 program=website",
      "100 delivery job queued version=1",
      "200 due version=1",
      "201.5 claimed process=h:7",
      "202 sent process=h:7 message=9 late=2 s",
    ]);
  });

  it("shows the failure reason and the notice", () => {
    const failed = { ...pending, state: "failed", endedAt: 200.7, endedBy: "h:7" } as const;
    expect(lines(failed, [failure])).to.deep.equal([
      "100 scheduled request=r-1 program=website",
      "200 due version=1",
      "200.5 claimed process=h:7",
      "200.7 failed process=h:7 reason=No. notice=55",
    ]);
    expect(lines(failed, [{ ...failure, noticeId: null }]).at(-1)).to.match(/notice=none$/);
  });

  it("keeps a failure from before its new time", () => {
    const again = { ...pending, version: 2, deliverAt: 900, enqueuedAt: 300 };
    expect(lines(again, [failure])).to.deep.equal([
      "100 scheduled request=r-1",
      "200 due version=1",
      "200.5 claimed process=h:7",
      "200.5 failed process=h:7 reason=No. notice=55",
      "300 delivery job queued version=2",
      "900 due version=2",
    ]);
  });

  it("shows only known steps for older versions and removed messages", () => {
    const old = { ...pending, requestId: null, state: "delivered", deliveredMessageId: 9 } as const;
    expect(lines({ ...old, sentAt: 201 }, [])).to.deep.equal([
      "100 scheduled program=website",
      "200 due version=1",
      "201 claimed",
      "201 sent message=9 late=1 s",
    ]);
    expect(lines({ ...old, endedAt: 203, endedBy: "h:7" }, []).slice(2)).to.deep.equal([
      "203 sent process=h:7 message=9 late=3 s",
    ]);
    expect(lines(old, []).slice(1)).to.deep.equal(["200 due version=1"]);
  });
});
