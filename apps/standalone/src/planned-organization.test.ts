import { readEnvironment, StartupError } from "@carillon/kit";
import { expect } from "chai";

import { plannedOrganization } from "./planned-organization.ts";

describe("the first organization", () => {
  const given = { ORGANIZATION_NAME: "Bells", OWNER_NAME: "Ada", OWNER_EMAIL: "ada@bells.example" };
  const bells = { name: "Bells", owner: { fullName: "Ada", email: "ada@bells.example" } };
  const unnamed = { name: undefined, owner: { fullName: undefined, email: undefined } };
  const planned = (variables: Record<string, string>) =>
    plannedOrganization(readEnvironment(variables));

  it("is the demo on a laptop unless turned off", () => {
    expect(planned({})).to.deep.equal({ demo: true, ...unnamed });
    expect(planned({ DEMO: "off" })).to.deep.equal({ demo: false, ...unnamed });
    expect(planned(given)).to.deep.equal({ demo: true, ...bells });
  });

  it("is the configured one in production, or none", () => {
    const NODE_ENV = "production";
    expect(planned({ NODE_ENV })).to.equal(undefined);
    expect(planned({ NODE_ENV, DEMO: "off" })).to.equal(undefined);
    expect(planned({ NODE_ENV, ...given })).to.deep.equal({ demo: false, ...bells });
    expect(planned({ NODE_ENV, DEMO: "on" })).to.deep.equal({ demo: true, ...unnamed });
  });

  it("is rejected when a variable is missing", () => {
    for (const name of Object.keys(given)) {
      const rest = Object.fromEntries(Object.entries(given).filter(([other]) => other !== name));
      expect(() => planned({ NODE_ENV: "production", ...rest }))
        .to.throw(StartupError)
        .with.property("message")
        .that.matches(new RegExp(`^${name} is not set: set all of`));
    }
    expect(() => planned({ ...given, OWNER_EMAIL: "ada" })).to.throw(/^OWNER_EMAIL must be/);
  });
});
