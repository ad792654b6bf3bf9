import { readEnvironment, StartupError } from "@carillon/kit";
import { expect } from "chai";
import { readLogins } from "./credentials.ts";

const operator = { DASHBOARD_USER: "olga", DASHBOARD_PASSWORD: "secret:ä" };

describe("the accounts of the dashboard", () => {
  const read = (variables: Record<string, string>) => readLogins(readEnvironment(variables));

  it("are the operator and an optional viewer", () => {
    expect(read(operator)).to.deep.equal([
      { role: "operator", user: "olga", password: "secret:ä" },
    ]);
    const both = read({
      ...operator,
      DASHBOARD_VIEWER_USER: "v",
      DASHBOARD_VIEWER_PASSWORD: "secret:ä",
    });
    expect(both.map(({ role }) => role)).to.deep.equal(["operator", "viewer"]);
  });

  it("are refused with the name of the wrong variable, without a password", () => {
    const cases: [Record<string, string>, RegExp][] = [
      [{}, /^DASHBOARD_USER and DASHBOARD_PASSWORD are not set/],
      [{ DASHBOARD_USER: "", DASHBOARD_PASSWORD: "" }, /^DASHBOARD_USER and DASHBOARD_PASSWORD/],
      [{ DASHBOARD_USER: "olga" }, /^DASHBOARD_PASSWORD is not set/],
      [{ DASHBOARD_PASSWORD: "secret" }, /^DASHBOARD_USER is not set/],
      [{ ...operator, DASHBOARD_USER: "a:b" }, /^DASHBOARD_USER must not contain a colon/],
      [{ ...operator, DASHBOARD_VIEWER_USER: "v" }, /^DASHBOARD_VIEWER_PASSWORD is not set/],
      [{ ...operator, DASHBOARD_VIEWER_PASSWORD: "v" }, /^DASHBOARD_VIEWER_USER is not set/],
      [
        { ...operator, DASHBOARD_VIEWER_USER: "v:", DASHBOARD_VIEWER_PASSWORD: "secret" },
        /^DASHBOARD_VIEWER_USER must not contain/,
      ],
      [
        { ...operator, DASHBOARD_VIEWER_USER: "olga", DASHBOARD_VIEWER_PASSWORD: "secret" },
        /^DASHBOARD_VIEWER_USER must be another/,
      ],
    ];
    for (const [variables, message] of cases) {
      expect(() => read(variables))
        .to.throw(StartupError, message)
        .with.property("message")
        .that.does.not.include("secret");
    }
  });
});
