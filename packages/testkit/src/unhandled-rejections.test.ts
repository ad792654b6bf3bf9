import { expect } from "chai";

import { mochaHooks } from "./unhandled-rejections.ts";
import { waitFor } from "./wait-for.ts";

describe("the hooks against unhandled rejections", () => {
  const reported = async (event: "unhandledRejection" | "rejectionHandled") => {
    let seen = false;
    process.once(event, () => (seen = true));
    await waitFor(() => seen, { what: event });
  };

  it("throw the reason of a rejection that nothing handles, once", async () => {
    void Promise.reject(new Error("lost"));
    await reported("unhandledRejection");
    expect(() => mochaHooks.afterEach()).to.throw(
      /^A rejected promise was not handled: Error: lost/,
    );
    mochaHooks.afterEach();
  });

  it("throw nothing if the rejection is handled later in the test", async () => {
    const late = Promise.reject(new Error("read late"));
    await reported("unhandledRejection");
    expect(await late.catch((error: Error) => error.message)).to.equal("read late");
    await reported("rejectionHandled");
    mochaHooks.afterEach();
  });
});
