import { errorCodes, errors } from "@carillon/contract";
import { expect } from "chai";

import { headersOf, statusOf } from "./error-response.ts";

describe("the response of an error", () => {
  it("has the status of its code", () => {
    expect(statusOf(errors.badRequest("No"))).to.equal(400);
    expect(statusOf(errors.tooManyUnread(5))).to.equal(errorCodes.RATE_LIMIT_HIT.status);
    expect(statusOf(errors.channelAlreadyExists("general"))).to.equal(409);
    expect(statusOf(errors.internalError())).to.equal(500);
  });

  it("has the status of its reason, if that has one", () => {
    expect(statusOf(errors.notFound404("No"))).to.equal(404);
    expect(errors.notFound404("No").code).to.equal("BAD_REQUEST");
    expect(statusOf(errors.bodyStopped(10))).to.equal(408);
    for (const error of [errors.unavailable(), errors.tooBusy(1), errors.noRoomForAnswer(5)])
      expect(statusOf(error)).to.equal(503);
  });

  it("has the headers that the protocol wants", () => {
    expect(headersOf(errors.unauthorized())).to.deep.equal({
      "WWW-Authenticate": 'Basic realm="zulip"',
    });
    expect(headersOf(errors.tooBusy(1))).to.deep.equal({ "Retry-After": "1" });
    expect(headersOf(errors.authenticationFailed())).to.deep.equal({});
    expect(headersOf(errors.methodNotAllowed(["GET", "POST"]))).to.deep.equal({
      Allow: "GET, POST",
    });
    expect(headersOf(errors.rateLimitHit(1.5))).to.deep.equal({ "Retry-After": "1.5" });
    expect(headersOf(errors.rateLimitHit(1.5, { limit: 5, remaining: 0, reset: 9 }))).to.deep.equal(
      {
        "X-RateLimit-Limit": "5",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": "9",
        "Retry-After": "1.5",
      },
    );
  });
});
