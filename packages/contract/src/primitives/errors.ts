import { ApiError, type ErrorFields, type RateLimitState } from "./api-error.ts";
import type { ErrorCode } from "./error-codes.ts";
import type { ProgramNeed } from "./program-needs.ts";

function refusal(code: ErrorCode, message: string, fields?: ErrorFields): ApiError {
  return new ApiError(code, message, fields);
}

/** The refusals, one function each: `throw errors.badRequest("…")`. */
export const errors = {
  /** Any unusable value, and every state without its own code. */
  badRequest: (message: string, fields?: ErrorFields) => refusal("BAD_REQUEST", message, fields),
  /** The target of the path does not exist, for operations that declare `missingIs404`. */
  notFound404: (message: string) =>
    new ApiError("BAD_REQUEST", message, {}, { reason: "missingTarget" }),
  /** For pages: the request is forged, or the page may not be used. */
  forbidden: (message: string) => new ApiError("BAD_REQUEST", message, {}, { reason: "forbidden" }),
  requestVariableMissing: (name: string) =>
    refusal("REQUEST_VARIABLE_MISSING", `The parameter ${name} is missing`, { var_name: name }),
  confusing: (name1: string, name2: string) =>
    refusal(
      "REQUEST_CONFUSING_VAR",
      `${name1} and ${name2} are the same parameter: send one of them`,
      {
        var_name1: name1,
        var_name2: name2,
      },
    ),
  /** Any failure of HTTP Basic, with one text, so that the answer does not reveal which. */
  unauthorized: () =>
    refusal("UNAUTHORIZED", "Log in with the account's e-mail address and API key (HTTP Basic)"),
  /** The key in the address of a webhook, with one text, so that the answer does not reveal what is wrong. */
  invalidApiKey: () =>
    refusal("INVALID_API_KEY", "api_key is not the API key of an active bot of this server"),
  /** The signature of a webhook. */
  badSignature: () =>
    refusal("UNAUTHORIZED", "The request is not signed with the webhook_secret of the bot"),
  unauthorizedPrincipal: (message = "You are not allowed to do this") =>
    refusal("UNAUTHORIZED_PRINCIPAL", message),
  permissionDenied: (message = "Only bots can do this") => refusal("PERMISSION_DENIED", message),
  /**
   * A rate limit is reached (http-contract.md §7).
   * @param retryAfter seconds, more than 0, may have a fraction
   * @param rateLimit the rule that is hit, if the headers of the answer show it
   */
  rateLimitHit: (retryAfter: number, rateLimit?: RateLimitState) =>
    new ApiError(
      "RATE_LIMIT_HIT",
      `Too many requests: try again in ${Math.ceil(retryAfter)} seconds`,
      { "retry-after": retryAfter },
      rateLimit ? { retryAfter, rateLimit } : { retryAfter },
    ),
  notFound: () => refusal("NOT_FOUND", "There is no operation at this address"),
  methodNotAllowed: (allowed: readonly string[]) =>
    refusal("METHOD_NOT_ALLOWED", `This address supports ${allowed.join(", ")}`, {
      allowed_methods: allowed,
    }),
  /** The body has more than `limit` bytes. */
  requestTooLarge: (limit: number) =>
    refusal("REQUEST_TOO_LARGE", `The body has more than ${limit} bytes`),
  /** The uploaded file has more than `limit` bytes. */
  fileTooLarge: (limit: number) =>
    refusal("REQUEST_TOO_LARGE", `The file has more than ${limit / 1024 ** 2} MiB`),
  /** The upload would exceed the organization's quota of `limit` bytes. */
  uploadQuota: (limit: number) =>
    refusal(
      "REALM_UPLOAD_QUOTA",
      `The uploads of the organization would exceed its quota of ${limit / 1024 ** 2} MiB: delete files first`,
    ),
  /** The file is not a picture, or one that cannot be decoded or is too large. */
  badImage: (message = "The file is not a picture that the server can read") =>
    refusal("BAD_IMAGE", message),
  /** The file store is away or full. */
  storageUnavailable: () =>
    new ApiError(
      "INTERNAL_ERROR",
      "The server's file store is not available at the moment; nothing was changed",
      {},
      { reason: "unavailable" },
    ),
  /**
   * The body stopped before its end.
   * @param seconds for which no byte has arrived
   */
  bodyStopped: (seconds: number) =>
    new ApiError(
      "BAD_REQUEST",
      `The body is not complete, and no more of it has arrived for ${seconds} seconds; send the request again`,
      {},
      { reason: "incompleteBody" },
    ),
  /**
   * The body arrives too slowly while others wait.
   * @param rate bytes a second
   */
  bodyTooSlow: (rate: number) =>
    new ApiError(
      "BAD_REQUEST",
      `The body arrives more slowly than ${rate / 1_024} KiB a second while other uploads wait; send the request again`,
      {},
      { reason: "incompleteBody", retryAfter: 5 },
    ),
  internalError: () => refusal("INTERNAL_ERROR", "Something went wrong on the server"),
  /** The server cannot answer in time, or is not available. */
  unavailable: (message = "The server could not answer in time") =>
    new ApiError("INTERNAL_ERROR", message, {}, { reason: "unavailable" }),

  /**
   * The copies of messages that were sent during the person's long absence are still being made.
   * @param retryAfter seconds until the client should try again
   */
  comingBack: (retryAfter = 2) =>
    new ApiError(
      "INTERNAL_ERROR",
      "The server is preparing the messages that were sent in your absence; nothing was changed",
      {},
      { reason: "unavailable", retryAfter },
    ),

  /** The request uses a feature that the still running processes of the previous release do not know. */
  olderProcesses: () =>
    new ApiError(
      "INTERNAL_ERROR",
      "The server is being upgraded and does not accept this request yet; nothing was changed",
      {},
      { reason: "unavailable", retryAfter: 30 },
    ),

  /**
   * Too many requests wait; the client should send this one again.
   * @param retryAfter seconds
   */
  tooBusy: (retryAfter: number) =>
    new ApiError(
      "INTERNAL_ERROR",
      "Too many requests are waiting; nothing was changed",
      {},
      { reason: "unavailable", retryAfter },
    ),

  /**
   * The account has not read large answers to earlier requests.
   * @param retryAfter seconds
   */
  tooManyUnread: (retryAfter: number) =>
    new ApiError(
      "RATE_LIMIT_HIT",
      `Large answers to earlier requests of this account have not been read: read them to their end, or try again in ${retryAfter} seconds`,
      { "retry-after": retryAfter },
      { retryAfter },
    ),
  /**
   * Large answers to other accounts use all memory that is reserved for answers.
   * @param retryAfter seconds
   */
  noRoomForAnswer: (retryAfter: number) =>
    new ApiError(
      "INTERNAL_ERROR",
      `Large answers to other accounts use up the server's memory; nothing was changed. Try again in ${retryAfter} seconds`,
      {},
      { reason: "unavailable", retryAfter },
    ),

  /** The key was used for a request with other parameters (once-and-again.md §1). */
  idempotencyKeyReused: () =>
    refusal(
      "IDEMPOTENCY_KEY_REUSED",
      "This Idempotency-Key belongs to an earlier request with other parameters, and nothing was changed: " +
        "repeat that request unchanged, or send this one with a new key",
    ),
  /** A request with the key is still running (once-and-again.md §1). */
  idempotencyKeyInUse: () =>
    new ApiError(
      "IDEMPOTENCY_KEY_IN_USE",
      "An earlier request with this Idempotency-Key is still running: send the same request with the same key again " +
        "in 1 second",
      {},
      { retryAfter: 1 },
    ),

  authenticationFailed: () =>
    refusal("AUTHENTICATION_FAILED", "The user name or the password is wrong"),
  userDeactivated: () => refusal("USER_DEACTIVATED", "The account is deactivated"),
  realmDeactivated: () => refusal("REALM_DEACTIVATED", "The organization is deactivated"),
  realmMoved: (url: string) => refusal("REALM_DEACTIVATED", `The organization has moved to ${url}`),
  organizationReadOnly: () =>
    new ApiError(
      "ORGANIZATION_READ_ONLY",
      "The organization is being moved to another server and cannot be changed now: try again in a minute",
      {},
      { retryAfter: 60 },
    ),
  /** The request came to the old installation of an organization that continues at another one under the same address. */
  organizationContinuesElsewhere: () =>
    new ApiError(
      "INTERNAL_ERROR",
      "The organization is moving to another server; nothing was changed. Try again in 2 seconds",
      {},
      { reason: "unavailable", retryAfter: 2 },
    ),
  passwordResetRequired: () =>
    refusal("PASSWORD_RESET_REQUIRED", "The account has no password yet: reset it first"),
  passwordAuthDisabled: () =>
    refusal("PASSWORD_AUTH_DISABLED", "The organization does not allow login with passwords"),

  /** The field contains the name or the id by which the request named the channel. */
  streamDoesNotExist: (named: { stream_id: number } | { stream: string }) =>
    refusal(
      "STREAM_DOES_NOT_EXIST",
      "stream_id" in named
        ? `There is no channel with the ID ${named.stream_id}`
        : `There is no channel named ${named.stream}`,
      named,
    ),
  channelAlreadyExists: (name: string) =>
    refusal("CHANNEL_ALREADY_EXISTS", `There is already a channel named ${name}`),
  cannotAdministerChannel: () =>
    refusal("CANNOT_ADMINISTER_CHANNEL", "You may not administer this channel"),
  streamWildcardMentionNotAllowed: () =>
    refusal("STREAM_WILDCARD_MENTION_NOT_ALLOWED", "You may not mention everyone in this channel"),
  topicWildcardMentionNotAllowed: () =>
    refusal("TOPIC_WILDCARD_MENTION_NOT_ALLOWED", "You may not mention everyone in this topic"),
  badNarrow: (desc: string) => refusal("BAD_NARROW", `The narrow is invalid: ${desc}`, { desc }),
  reactionAlreadyExists: () =>
    refusal("REACTION_ALREADY_EXISTS", "You have already added this reaction"),
  reactionDoesNotExist: () =>
    refusal("REACTION_DOES_NOT_EXIST", "You have not added this reaction"),
  moveMessagesTimeLimitExceeded: (found: {
    readonly first_message_id_allowed_to_move: number | null;
    readonly total_messages_in_topic: number;
    readonly total_messages_allowed_to_move: number;
  }) =>
    refusal(
      "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
      "Some messages of this topic are too old for you to move them",
      found,
    ),
  /**
   * Programs compare the beginning of the message (events.md §2), so its words are the protocol's.
   * @param needs of the calling program: some compare an older spelling
   */
  badEventQueueId: (queueId: string, needs: readonly ProgramNeed[] = []) =>
    refusal(
      "BAD_EVENT_QUEUE_ID",
      `Bad event queue ${needs.includes("queue_id_message") ? "id" : "ID"}: ${queueId}`,
      { queue_id: queueId },
    ),

  expectationMismatch: (field: string) =>
    refusal("EXPECTATION_MISMATCH", `The current value is not the one given as ${field}`, {
      field_name: field,
    }),
  systemGroupRequired: (setting: string) =>
    refusal("SYSTEM_GROUP_REQUIRED", `${setting} must be the ID of a system group`, {
      setting_name: setting,
    }),
  cannotDeactivateGroupInUse: (objections: readonly ErrorFields[]) =>
    refusal("CANNOT_DEACTIVATE_GROUP_IN_USE", "The group is in use", { objections }),
  /**
   * The last active user, or the last owner, is to be deactivated (users.md §4).
   * @param entity the last one: `user` or `organization owner`
   */
  cannotDeactivateLastUser: (entity: string, isLastOwner: boolean) =>
    refusal("CANNOT_DEACTIVATE_LAST_USER", `The only ${entity} cannot be deactivated`, {
      is_last_owner: isLastOwner,
      entity,
    }),

  /**
   * Addresses that cannot be invited (people.md §1).
   * @param failed address, reason, and whether the address belongs to a deactivated account
   * @param sent whether the other addresses are invited
   */
  invitationFailed: (
    message: string,
    failed: ReadonlyArray<readonly [address: string, reason: string, deactivated: boolean]>,
    { sent = false, dailyLimitReached = false } = {},
  ) =>
    refusal("INVITATION_FAILED", message, {
      errors: failed,
      sent_invitations: sent,
      license_limit_reached: false,
      daily_limit_reached: dailyLimitReached,
    }),

  /**
   * The integration does not know the event of a payload (bot-platform.md §1.2).
   * @param webhook the name of the integration in names of programs
   * @param event as the sender names it
   */
  unsupportedWebhookEvent: (webhook: string, event: string) =>
    refusal(
      "UNSUPPORTED_WEBHOOK_EVENT_TYPE",
      `The integration ${webhook} does not support the event ${event}`,
      { webhook_name: webhook, event_type: event },
    ),
  missingEventHeader: (header: string) =>
    refusal("MISSING_HTTP_EVENT_HEADER", `The request has no header ${header}`, { header }),

  pushServiceNotConfigured: () =>
    refusal("PUSH_SERVICE_NOT_CONFIGURED", "This server has no push service"),
  noActivePushDevice: () => refusal("NO_ACTIVE_PUSH_DEVICE", "You have no such active device"),
  failedToConnectBouncer: () =>
    refusal("FAILED_TO_CONNECT_BOUNCER", "The push service does not answer"),
  internalServerErrorOnBouncer: () =>
    refusal("INTERNAL_SERVER_ERROR_ON_BOUNCER", "The push service failed"),
  adminActionRequired: (message: string) => refusal("ADMIN_ACTION_REQUIRED", message),
};
