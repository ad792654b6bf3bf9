import { signal } from "@preact/signals";
import { expect } from "chai";
import type { Connection } from "./connection.ts";
import { Silence } from "./silence.ts";

describe("The silence of the server", () => {
  /** Starts requests that wait too long. @returns the connection, and a function for each request that aborts it */
  async function lateRequests(count: number) {
    const connection = signal<Connection>("live");
    const silence = new Silence(connection, 1);
    const isSilent = new Promise<void>((resolve) => {
      connection.subscribe((state) => state === "silent" && resolve());
    });
    const requests = Array.from({ length: count }, () => {
      const ends = new AbortController();
      const answer = new Promise<never>((_, reject) => {
        ends.signal.addEventListener("abort", () => reject(ends.signal.reason as Error));
      });
      const watched = silence.watch(answer, ends.signal).catch(() => {});
      return async (reason: unknown) => {
        ends.abort(reason);
        await watched;
      };
    });
    await isSilent;
    // All timers have the same delay, so the others fire before this one.
    await new Promise((resolve) => setTimeout(resolve, 1));
    return { connection, requests };
  }

  it("ends when the caller aborts the last late request", async () => {
    const { connection, requests } = await lateRequests(2);
    await requests[0]?.(new Error("not needed"));
    expect(connection.value).to.equal("silent");
    await requests[1]?.(new Error("not needed"));
    expect(connection.value).to.equal("live");
  });

  it("does not end when a request times out", async () => {
    const { connection, requests } = await lateRequests(1);
    await requests[0]?.(new DOMException("too long", "TimeoutError"));
    expect(connection.value).to.equal("silent");
  });
});
