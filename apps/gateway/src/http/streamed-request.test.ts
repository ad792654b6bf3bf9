import { RequestDeadline } from "@carillon/db";
import { expect } from "chai";
import type { Context } from "koa";

import { StreamedRequest } from "./streamed-request.ts";

describe("A request with the bytes of a file", () => {
  const hour = 3_600_000;

  it("has an hour while its bytes arrive, and the usual deadline afterwards", async () => {
    const deadline = new RequestDeadline();
    try {
      const times = { idleMs: 30_000, deadlineMs: 20_000 };
      const request = new StreamedRequest({} as Context, "POST", { accountId: 1, deadline }, times);
      const remaining = await request.whileBytesFlow(async () => deadline.remainingMs);
      expect(remaining).to.be.within(hour - 100_000, hour);
      expect(deadline.remainingMs).to.be.at.most(20_000);
      await request.whileBytesFlow(() => Promise.reject(new Error("broken off"))).catch(() => {});
      expect(deadline.remainingMs).to.be.at.most(20_000);
    } finally {
      deadline.unlimit();
    }
  });
});
