import { expect } from "chai";
import { parseRateRules } from "./rate-rules.ts";

describe("RATE_LIMITS", () => {
  const user = [{ seconds: 60, requests: 200 }];
  const ip = [{ seconds: 60, requests: 100 }];
  const login = [{ seconds: 1_800, requests: 5 }];

  it("are upstream's unless they are set", () =>
    expect(parseRateRules(undefined)).to.deep.equal({ user, ip, login }));

  it("can be off", () => expect(parseRateRules("off")).to.equal(undefined));

  it("have the defaults where they name nothing else", () => {
    expect(parseRateRules("login=60:3,3600:20")).to.deep.equal({
      user,
      ip,
      login: [
        { seconds: 60, requests: 3 },
        { seconds: 3_600, requests: 20 },
      ],
    });
  });

  for (const text of [
    "on",
    "user",
    "user=60",
    "user=60:1,",
    "bot=60:1",
    "ip=0:1",
    "ip=1:1;",
    " off",
  ])
    it(`are not ${JSON.stringify(text)}`, () =>
      expect(() => parseRateRules(text)).to.throw("not a list"));
});
