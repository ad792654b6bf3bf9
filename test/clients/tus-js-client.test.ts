import { fileURLToPath } from "node:url";
import { useProcesses, type TestProcess } from "@carillon/testkit";
import { expect } from "chai";
import { useServer } from "./support/server.ts";

const program = fileURLToPath(new URL("programs/tus-js-client.mjs", import.meta.url));

describe("tus-js-client", () => {
  const server = useServer();
  const processes = useProcesses();
  let client: TestProcess;
  before("start the program", () => {
    const { email, apiKey } = server.account("member");
    client = processes.script(program, [server.url, email, apiKey], {});
  });

  const answer = async (call: string): Promise<unknown> =>
    (await client.waitForLine(new RegExp(`^${call}$`)))["answer"];
  const whole = async () => ({
    filename: "Video of 2026.mp4",
    type: "video/mp4",
    hash: await answer("content"),
  });

  it("resumes an upload that has broken off, with the bytes that had arrived", async () => {
    const { offset } = (await answer("broken")) as { offset: number };
    expect(offset)
      .to.be.greaterThan(0)
      .and.lessThan(8 * 1024 * 1024);
    expect(await answer("resumed")).to.deep.equal(await whole());
  });

  it("uploads in pieces with POST alone", async () => {
    expect(await answer("in pieces")).to.deep.equal(await whole());
  });

  it("ends an upload", async () => {
    expect(await answer("ended")).to.equal(404);
  });
});
