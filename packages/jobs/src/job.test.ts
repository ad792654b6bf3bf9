import { expect } from "chai";
import * as z from "zod";
import { deliverDue } from "./definitions/deliver-due.ts";
import { checkPayload, InvalidPayload, job, jobId } from "./job.ts";
import { allJobs } from "./jobs.ts";
import { namedOnce } from "./named-once.ts";
import { jobsReference } from "./reference.ts";
import { backoff } from "./retry.ts";

const retry = backoff({ attempts: 3, first: "1s", cap: "5s", jitter: 0 });

function sample(name: string, key = "sample-1") {
  return job({
    name,
    queue: "maintenance",
    about: "Nothing.",
    payload: z.strictObject({ id: z.int() }),
    key: () => key,
    retry,
    deadline: "20s",
    keepCompleted: "1h",
  });
}

describe("declaring a job", () => {
  it("refuses a name that is not lower-case words joined by hyphens", () => {
    for (const name of ["", "Sample", "sample_job", "sample:job", "-sample", "sample1"]) {
      expect(() => sample(name), name).to.throw(RangeError, "lower-case words");
    }
  });

  it("refuses two jobs of one name", () => {
    expect(() => namedOnce("job", [sample("sample"), sample("other"), sample("sample")])).to.throw(
      "sample is declared twice",
    );
  });

  it("refuses ids that the queue would refuse", () => {
    for (const id of ["", "12345", "a:b"]) {
      expect(() => jobId(sample("sample", id), { id: 1 }), id).to.throw(RangeError, "must not");
      expect(() => jobId(sample("sample"), { id: 1 }, id), id).to.throw(RangeError, "must not");
    }
  });

  it("names the job and the field of a wrong payload", () => {
    expect(() => checkPayload(sample("sample"), { id: "x" })).to.throw(
      InvalidPayload,
      /^sample: id: /,
    );
    expect(() => checkPayload(sample("sample"), { id: 1, text: "hello" })).to.throw(
      InvalidPayload,
      /text/,
    );
    expect(() => checkPayload(sample("sample"), undefined)).to.throw(
      InvalidPayload,
      /^sample: payload: /,
    );
  });

  it("accepts readable durations, and refuses other texts", () => {
    expect(sample("sample")).to.include({ deadlineMs: 20_000, keepCompletedMs: 3_600_000 });
    expect(() => job({ ...sample("sample"), deadline: "0s" })).to.throw(RangeError, "0s");
    expect(() => job({ ...sample("sample"), deadline: "1e3s" })).to.throw(RangeError, "1e3s");
  });
});

describe("the delivery job of scheduled messages", () => {
  it("has one id for each organization and second", () => {
    expect(jobId(deliverDue, { realmId: 2, second: 1_700_000_000 })).to.equal(
      "deliver-due-2-1700000000",
    );
  });

  it("has its own id for each version of a message that is due too soon", () => {
    const payload = { realmId: 2, second: 1_700_000_000, scheduledMessageId: 7, version: 3 };
    expect(jobId(deliverDue, payload)).to.equal("deliver-due-2-1700000000-7-v3");
  });

  it("has its own id for a continuation and for a sweep", () => {
    const payload = { realmId: 2, second: 1_700_000_000, tick: 9 };
    expect(jobId(deliverDue, payload)).to.equal("deliver-due-2-1700000000-t9");
    expect(jobId(deliverDue, { ...payload, scheduledMessageId: 7, version: 3 })).to.equal(
      "deliver-due-2-1700000000-7-v3-t9",
    );
  });

  it("refuses a message without its version, fractions and unknown fields", () => {
    const payload = { realmId: 2, second: 1_700_000_000 };
    expect(() => checkPayload(deliverDue, { ...payload, scheduledMessageId: 7 })).to.throw(
      "come together",
    );
    expect(() => checkPayload(deliverDue, { ...payload, second: 1.5 })).to.throw("second");
    expect(() => checkPayload(deliverDue, { ...payload, content: "hello" })).to.throw("content");
  });
});

describe("jobsReference", () => {
  it("names every job with its payload, and every queue", () => {
    const page = jobsReference();
    for (const { name } of allJobs) expect(page).to.include(`## \`${name}\``);
    for (const text of [
      "`delivery` | Delivery | 5",
      "`push` | Mail and push planning | 20",
      "`bouncer` | Push bouncer | 20 | 1000 in 1 min",
      "`maintenance` | Maintenance | 2",
      "- Queue: `push` (Mail and push planning)",
      '"scheduledMessageId"',
      "20 s",
    ]) {
      expect(page).to.include(text);
    }
  });

  it("formats durations and jitter", () => {
    const page = jobsReference([sample("sample")]);
    expect(page)
      .to.include(
        "Attempts: 3, the first pause 1 s, doubling to 5 s, jitter up to 0 % of each pause",
      )
      .and.include("kept 1 h");
  });
});
