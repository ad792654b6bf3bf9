import { expect } from "chai";
import { parseRateRules } from "./rate-rules.ts";

describe("parseRateRules", () => {
  const user = [{ seconds: 60, requests: 200 }];
  const ip = [{ seconds: 60, requests: 100 }];
  const login = [{ seconds: 1_800, requests: 5 }];
  const files = [{ seconds: 60, requests: 1_200 }];
  const mail = [{ seconds: 86_400, requests: 5 }];
  const reset = [
    { seconds: 3_600, requests: 2 },
    { seconds: 86_400, requests: 5 },
  ];
  const invites = [{ seconds: 86_400, requests: 3_000 }];

  it("returns upstream's rules by default, and those of files and mails", () =>
    expect(parseRateRules(undefined)).to.deep.equal({
      user,
      ip,
      login,
      files,
      mail,
      reset,
      invites,
    }));

  it("returns undefined for off", () => expect(parseRateRules("off")).to.equal(undefined));

  it("uses the defaults for kinds that are not named", () => {
    expect(parseRateRules("login=60:3,3600:20")).to.deep.equal({
      user,
      ip,
      files,
      mail,
      reset,
      invites,
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
    it(`rejects ${JSON.stringify(text)}`, () =>
      expect(() => parseRateRules(text)).to.throw("invalid rate rules"));
});
