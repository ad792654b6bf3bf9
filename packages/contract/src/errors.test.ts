import { expect } from "chai";
import { ApiError } from "./api-error.ts";
import { errorCodes, type ErrorDescription } from "./error-codes.ts";
import { errors } from "./errors.ts";

/** One of each refusal, with what they need. */
const all: ApiError[] = [
  errors.badRequest("No"),
  errors.notFound404("No"),
  errors.requestVariableMissing("to"),
  errors.confusing("topic", "subject"),
  errors.unauthorized(),
  errors.unauthorizedPrincipal(),
  errors.permissionDenied(),
  errors.rateLimitHit(1.5),
  errors.notFound(),
  errors.methodNotAllowed(["GET", "POST"]),
  errors.requestTooLarge(10),
  errors.internalError(),
  errors.unavailable(),
  errors.tooBusy(1),
  errors.tooManyUnread(5),
  errors.noRoomForAnswer(5),
  errors.authenticationFailed(),
  errors.userDeactivated(),
  errors.realmDeactivated(),
  errors.passwordResetRequired(),
  errors.passwordAuthDisabled(),
  errors.streamDoesNotExist({ stream_id: 5 }),
  errors.streamDoesNotExist({ stream: "general" }),
  errors.channelAlreadyExists("general"),
  errors.cannotAdministerChannel(),
  errors.streamWildcardMentionNotAllowed(),
  errors.topicWildcardMentionNotAllowed(),
  errors.badNarrow("unknown operator"),
  errors.reactionAlreadyExists(),
  errors.reactionDoesNotExist(),
  errors.badEventQueueId("5:1"),
  errors.expectationMismatch("old"),
  errors.systemGroupRequired("can_mention_group"),
  errors.cannotDeactivateGroupInUse([{ type: "realm", settings: ["create"] }]),
  errors.cannotDeactivateLastUser("organization owner", true),
  errors.pushServiceNotConfigured(),
  errors.noActivePushDevice(),
  errors.failedToConnectBouncer(),
  errors.internalServerErrorOnBouncer(),
  errors.adminActionRequired("Register the server"),
];

describe("errors", () => {
  it("have a text for people, and no fields but those of their code", () => {
    for (const error of all) {
      expect(error).to.be.instanceOf(ApiError);
      expect(error.message, error.code).to.have.length.greaterThan(0);
      const description: ErrorDescription = errorCodes[error.code];
      expect(description.fields ?? [], error.code).to.include.members(Object.keys(error.fields));
    }
  });

  it("have the status of their code; two codes have a second one", () => {
    for (const error of all) {
      const passing = [errors.unavailable(), errors.tooBusy(1), errors.noRoomForAnswer(5)].map(
        ({ message }) => message,
      );
      if (passing.includes(error.message)) expect(error.status).to.equal(503);
      else if (error.status === 404 && error.code === "BAD_REQUEST") continue;
      else expect(error.status, error.code).to.equal(errorCodes[error.code].status);
    }
    expect(errors.notFound404("No")).to.include({ status: 404, code: "BAD_REQUEST" });
  });

  it("carry the headers that the protocol wants", () => {
    expect(errors.unauthorized().headers).to.deep.equal({
      "WWW-Authenticate": 'Basic realm="zulip"',
    });
    expect(errors.tooBusy(1).headers).to.deep.equal({ "Retry-After": "1" });
    expect(errors.authenticationFailed().headers).to.deep.equal({});
    expect(errors.methodNotAllowed(["GET", "POST"]).headers).to.deep.equal({ Allow: "GET, POST" });
    expect(errors.rateLimitHit(1.5).headers).to.deep.equal({ "Retry-After": "1.5" });
  });
});
