import { readFile } from "node:fs/promises";
import { useScene } from "@carillon/testkit";
import { expect } from "chai";

const page = new URL("../../docs/logs-and-traces.md", import.meta.url);

describe("docs/logs-and-traces.md", () => {
  const scene = useScene();

  it("has every field of the log lines of successful, refused and unknown requests", async () => {
    const text = await readFile(page, "utf8");
    const rows = text.split("\n").filter((line) => line.startsWith("| `"));
    const documented = rows.flatMap((row) =>
      [...(row.split("|")[1] ?? "").matchAll(/`([a-zA-Z_.]+)`/g)].map(([, name = ""]) => name),
    );
    const member = scene.as(scene.org.member);
    await member.get("/api/v1/users/me");
    await member.post("/api/v1/messages", { type: "channel" });
    const email = scene.org.member.deliveryEmail;
    await scene.as({ email, apiKey: "a".repeat(32) }).get("/api/v1/users/me");
    await member.get("/unknown");
    const lines = scene.gateway.logLines.filter(({ msg }) => msg === "request");
    expect(lines.map(({ status }) => status)).to.include.members([200, 400, 401, 404]);
    const fields = new Set(lines.flatMap((line) => Object.keys(line)));
    expect([...fields].filter((name) => !documented.includes(name))).to.deep.equal([]);
    expect([...fields]).to.include.members(["requestId", "path", "user", "code", "why"]);
  });
});
