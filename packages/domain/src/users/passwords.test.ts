import { createHook } from "node:async_hooks";

import { expect } from "chai";

import { checkPassword, hashPassword, isPasswordHash, verifyPassword } from "./passwords.ts";

describe("Passwords", () => {
  it("are stored as salted hashes that contain their cost", async () => {
    const [first, second] = await Promise.all([hashPassword("secret"), hashPassword("secret")]);
    expect(first).to.match(/^scrypt\$32768\$8\$1\$[\w+/=]{24}\$[\w+/=]{44}$/);
    expect(first).not.to.equal(second);
    expect(await verifyPassword("secret", first)).to.equal(true);
    expect(await verifyPassword("secret", second)).to.equal(true);
    expect(await verifyPassword("Secret", first)).to.equal(false);
  });

  it("are verified at the cost of their hash", async () => {
    const cheap = "scrypt$1024$8$1$c2FsdHNhbHRzYWx0c2FsdA==$";
    const { scryptSync } = await import("node:crypto");
    const key = scryptSync("secret", "saltsaltsaltsalt", 32, { N: 1024, r: 8, p: 1 });
    expect(await verifyPassword("secret", cheap + key.toString("base64"))).to.equal(true);
  });

  for (const [what, hash] of [
    ["an empty key", "scrypt$32768$8$1$c2FsdHNhbHRzYWx0c2FsdA==$"],
    ["a key of one byte", "scrypt$1024$8$1$c2FsdHNhbHRzYWx0c2FsdA==$QQ=="],
    ["a higher cost", `scrypt$65536$8$1$c2FsdHNhbHRzYWx0c2FsdA==$${"A".repeat(43)}=`],
    ["a cost that is not a number", `scrypt$x$8$1$c2FsdHNhbHRzYWx0c2FsdA==$${"A".repeat(43)}=`],
  ] as const)
    it(`never match a hash with ${what}, at the cost of a wrong password`, async () => {
      const wrong = await workOf(() => verifyPassword("anything", hash));
      expect(wrong).to.deep.equal({ matches: false, hashed: 1, composed: 8 });
      expect(isPasswordHash(hash)).to.equal(false);
    });

  it("are recognized as hashes of this server", async () => {
    const hash = await hashPassword("secret");
    expect(isPasswordHash(hash)).to.equal(true);
    for (const other of [
      "",
      "secret",
      `${hash}$`,
      `${hash}AAAA`,
      hash.replace("$8$1$", "$8$30000$"),
      hash.replace("32768", "16777216"),
    ])
      expect(isPasswordHash(other), other).to.equal(false);
  });

  it("are equal in all Unicode compositions", async () => {
    const hash = await hashPassword("pa\u0308sse");
    expect(await verifyPassword("p\u00e4sse", hash)).to.equal(true);
  });

  it("never match if there is no hash", async () => {
    expect(await verifyPassword("", null)).to.equal(false);
  });

  it("never match a text that is too long, at the cost of a wrong password", async () => {
    const hash = await hashPassword("");
    // Normalizing these takes seconds each; 40 times as many would take minutes.
    const hostile = `a${"\u0301\u0316".repeat(40_000)}`;
    const wrong = await workOf(() => verifyPassword("wrong", hash));
    expect(wrong).to.deep.equal({ matches: false, hashed: 1, composed: 5 });
    for (const text of [hostile, "a".repeat(101), "\u{1f600}".repeat(101)])
      expect(await workOf(() => verifyPassword(text, hash))).to.deep.equal({
        matches: false,
        hashed: 1,
        composed: 0,
      });
    const longest = await hashPassword("\u{1f600}".repeat(100));
    expect(await verifyPassword("\u{1f600}".repeat(100), longest)).to.equal(true);
  });

  it("are hashed two at a time, and rejected if too many are waiting", async () => {
    const running = new Set<number>();
    let most = 0;
    const hook = createHook({
      init(id, type) {
        if (type !== "SCRYPTREQUEST") return;
        running.add(id);
        most = Math.max(most, running.size);
      },
      before: (id) => void running.delete(id),
    });
    hook.enable();
    const cheap = `scrypt$1024$8$1$c2FsdHNhbHRzYWx0c2FsdA==$${"A".repeat(43)}=`;
    const results = await Promise.allSettled(
      Array.from({ length: 110 }, () => verifyPassword("wrong", cheap)),
    ).finally(() => hook.disable());
    const refused = results.filter((result) => result.status === "rejected");
    // Two are being hashed, a hundred wait.
    expect(refused).to.have.length(8);
    for (const { reason } of refused)
      expect(reason).to.deep.include({ code: "INTERNAL_ERROR", facts: { reason: "unavailable" } });
    expect(most).to.equal(2);
  });

  it("are not counted as attempts if rejected because too many are waiting", async () => {
    const cheap = `scrypt$1024$8$1$c2FsdHNhbHRzYWx0c2FsdA==$${"A".repeat(43)}=`;
    let tries = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 110 }, () => verifyPassword("wrong", cheap, async () => void tries++)),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).to.have.length(102);
    expect(tries).to.equal(102);
  });

  it("are estimated in a thread, which rejects them if too many are waiting, and works again after that", async () => {
    // The costliest kind: every character may stand for a letter.
    const hostile = "4@8({[3691!|0$5+7%2/".repeat(5);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        checkPassword(i === 0 ? hostile : `four quiet herons ${i}`),
      ),
    ).finally(() => clearInterval(timer));
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused).to.have.length(4);
    for (const { reason } of refused)
      expect(reason).to.deep.include({ code: "INTERNAL_ERROR", facts: { reason: "unavailable" } });
    expect(turns).to.be.above(20);
    await checkPassword("four quiet herons drink");
  });

  it("must not be common, nor found with few guesses, in any composition", async () => {
    for (const password of ["password", "PassWord", "\uff50\uff41\uff53\uff53word", "iloveyou"])
      expect(await refusal(password)).to.match(/most common/);
    for (const password of ["a".repeat(100), "abcdefghij".repeat(10), "\ufb01".repeat(50)])
      expect(await refusal(password)).to.match(/too easy to guess.* \d+ guesses/);
    for (const password of [
      "correct horse battery",
      "\u{1f600}\u{1f3b7}\u{1f40d}\u{1f96d}\u{1f680}\u{1f9ca}",
    ])
      expect(await refusal(password)).to.equal(undefined);
  });

  it("do not block the event loop", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await Promise.all([hashPassword("a"), hashPassword("b")]);
    clearInterval(timer);
    expect(turns).to.be.above(3);
  });
});

/** Returns why the password is not accepted. */
function refusal(password: string): Promise<string | undefined> {
  return checkPassword(password).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

/** Returns the result of `verify`, the number of hashes derived, and the number of UTF-16 units normalized. */
async function workOf(verify: () => Promise<boolean>) {
  let hashed = 0;
  let composed = 0;
  const hook = createHook({ init: (_id, type) => void (type === "SCRYPTREQUEST" && hashed++) });
  const texts: object = Object.getPrototypeOf("") as object;
  const usual = Object.getOwnPropertyDescriptor(texts, "normalize") ?? {};
  const value = new Proxy(usual.value as () => string, {
    apply(normalize, text: string, forms) {
      composed += text.length;
      return Reflect.apply(normalize, text, forms);
    },
  });
  Object.defineProperty(texts, "normalize", { ...usual, value });
  hook.enable();
  try {
    return { matches: await verify(), hashed, composed };
  } finally {
    hook.disable();
    Object.defineProperty(texts, "normalize", usual);
  }
}
