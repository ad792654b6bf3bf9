import { expect } from "chai";
import { ApiError } from "./api-error.ts";
import { errorCodes, type ErrorDescription } from "./error-codes.ts";
import { errors } from "./errors.ts";

/** One of each refusal, with example arguments. */
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
  it("have a text, and only the fields of their code", () => {
    for (const error of all) {
      expect(error).to.be.instanceOf(ApiError);
      expect(error.message, error.code).to.have.length.greaterThan(0);
      const description: ErrorDescription = errorCodes[error.code];
      expect(description.fields ?? [], error.code).to.include.members(Object.keys(error.fields));
    }
  });
});
