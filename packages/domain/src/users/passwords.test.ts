import { expect } from "chai";

import { hashPassword, verifyPassword } from "./passwords.ts";

describe("Passwords", () => {
  it("are stored as salted hashes that name their cost", async () => {
    const [first, second] = await Promise.all([hashPassword("secret"), hashPassword("secret")]);
    expect(first).to.match(/^scrypt\$32768\$8\$1\$[\w+/=]{24}\$[\w+/=]{44}$/);
    expect(first).not.to.equal(second);
    expect(await verifyPassword("secret", first)).to.equal(true);
    expect(await verifyPassword("secret", second)).to.equal(true);
    expect(await verifyPassword("Secret", first)).to.equal(false);
  });

  it("verify at the cost that they were hashed with", async () => {
    const cheap = "scrypt$1024$8$1$c2FsdHNhbHRzYWx0c2FsdA==$";
    const { scryptSync } = await import("node:crypto");
    const key = scryptSync("secret", "saltsaltsaltsalt", 32, { N: 1024, r: 8, p: 1 });
    expect(await verifyPassword("secret", cheap + key.toString("base64"))).to.equal(true);
  });

  it("are the same however their letters are composed", async () => {
    const hash = await hashPassword("pa\u0308sse");
    expect(await verifyPassword("p\u00e4sse", hash)).to.equal(true);
  });

  it("never match where there is none", async () => {
    expect(await verifyPassword("", null)).to.equal(false);
  });

  it("leave the event loop free", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await Promise.all([hashPassword("a"), hashPassword("b")]);
    clearInterval(timer);
    expect(turns).to.be.above(3);
  });
});
