/** Everything that a code promises: when it is sent, with which status and which extra fields. The reference prints it. */
export interface ErrorDescription {
  /** HTTP status if the error gives no reason. */
  readonly status: number;
  readonly when: string;
  /** Names of the extra fields of the answer. */
  readonly fields?: readonly string[];
}

function codes<const Table extends Record<string, ErrorDescription>>(table: Table): Table {
  return table;
}

/** All error codes that a client can meet. */
export const errorCodes = codes({
  BAD_REQUEST: {
    status: 400,
    when: "A parameter's value is invalid, or the state forbids the request; 404 if the target does not exist and the operation says so, 408 if the body is incomplete",
  },
  REQUEST_VARIABLE_MISSING: {
    status: 400,
    when: "A required parameter is missing",
    fields: ["var_name"],
  },
  REQUEST_CONFUSING_VAR: {
    status: 400,
    when: "A parameter was given under two of its names",
    fields: ["var_name1", "var_name2"],
  },
  UNAUTHORIZED: { status: 401, when: "The credentials are missing or refused" },
  INVALID_API_KEY: { status: 401, when: "The key in the address is not that of an active bot" },
  UNAUTHORIZED_PRINCIPAL: { status: 400, when: "The operation is for administrators or owners" },
  PERMISSION_DENIED: { status: 400, when: "The operation is for bots" },
  RATE_LIMIT_HIT: { status: 429, when: "Too many requests", fields: ["retry-after"] },
  NOT_FOUND: { status: 404, when: "No such path" },
  METHOD_NOT_ALLOWED: {
    status: 405,
    when: "The path does not support this method",
    fields: ["allowed_methods"],
  },
  REQUEST_TOO_LARGE: { status: 413, when: "The body is over the limit" },
  REALM_UPLOAD_QUOTA: { status: 400, when: "The organization's uploads would exceed its quota" },
  BAD_IMAGE: {
    status: 400,
    when: "The file is not a picture of a type that the operation takes, cannot be decoded, or has too many pixels",
  },
  INTERNAL_ERROR: {
    status: 500,
    when: "An unexpected error; 503 if the request took too long or the database is unavailable",
  },

  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    when: "The Idempotency-Key belongs to an earlier request with other parameters",
  },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    when: "An earlier request with the Idempotency-Key is still running",
  },

  AUTHENTICATION_FAILED: { status: 401, when: "The password is wrong or the account is unknown" },
  USER_DEACTIVATED: { status: 401, when: "The account is deactivated" },
  REALM_DEACTIVATED: { status: 401, when: "The organization is deactivated" },
  ORGANIZATION_READ_ONLY: {
    status: 503,
    when: "The organization is being moved to another server: for a short time it only answers requests that change nothing",
  },
  PASSWORD_RESET_REQUIRED: { status: 401, when: "The account has no password" },
  PASSWORD_AUTH_DISABLED: {
    status: 401,
    when: "The organization does not allow login with passwords",
  },

  STREAM_DOES_NOT_EXIST: {
    status: 400,
    when: "The channel does not exist",
    fields: ["stream_id", "stream"],
  },
  CHANNEL_ALREADY_EXISTS: { status: 409, when: "Another channel has the name" },
  CANNOT_ADMINISTER_CHANNEL: {
    status: 400,
    when: "The caller sees the channel but may not administer it",
  },
  STREAM_WILDCARD_MENTION_NOT_ALLOWED: {
    status: 400,
    when: "The caller may not mention everyone in a channel of this size",
  },
  TOPIC_WILDCARD_MENTION_NOT_ALLOWED: {
    status: 400,
    when: "The caller may not mention everyone in a topic of this size",
  },
  BAD_NARROW: { status: 400, when: "A term of the narrow is invalid", fields: ["desc"] },
  REACTION_ALREADY_EXISTS: { status: 400, when: "The caller has already added this reaction" },
  REACTION_DOES_NOT_EXIST: { status: 400, when: "The caller has not added this reaction" },
  MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: {
    status: 400,
    when: "Some messages are too old to be moved",
    fields: [
      "first_message_id_allowed_to_move",
      "total_messages_in_topic",
      "total_messages_allowed_to_move",
    ],
  },
  BAD_EVENT_QUEUE_ID: {
    status: 400,
    when: "The caller has no such event queue",
    fields: ["queue_id"],
  },

  EXPECTATION_MISMATCH: {
    status: 400,
    when: "The current value is not the one the caller expected",
    fields: ["field_name"],
  },
  SYSTEM_GROUP_REQUIRED: {
    status: 400,
    when: "The setting accepts only system groups",
    fields: ["setting_name"],
  },
  CANNOT_DEACTIVATE_GROUP_IN_USE: {
    status: 400,
    when: "The group is used by a setting or by another group",
    fields: ["objections"],
  },
  CANNOT_DEACTIVATE_LAST_USER: {
    status: 400,
    when: "The account is the last one, or the last owner",
    fields: ["is_last_owner", "entity"],
  },

  INVITATION_FAILED: {
    status: 400,
    when: "Addresses cannot be invited; with `sent_invitations` the others are",
    fields: ["errors", "sent_invitations", "license_limit_reached", "daily_limit_reached"],
  },

  UNSUPPORTED_WEBHOOK_EVENT_TYPE: {
    status: 200,
    when: "The integration does not know the event; the status is that of a success, because senders switch off webhooks that fail",
    fields: ["webhook_name", "event_type"],
  },
  MISSING_HTTP_EVENT_HEADER: {
    status: 400,
    when: "The header that names the event is missing",
    fields: ["header"],
  },

  PUSH_SERVICE_NOT_CONFIGURED: { status: 400, when: "The server has no push service" },
  NO_ACTIVE_PUSH_DEVICE: { status: 400, when: "The caller has no such active device" },
  FAILED_TO_CONNECT_BOUNCER: { status: 502, when: "The push service does not answer" },
  INTERNAL_SERVER_ERROR_ON_BOUNCER: { status: 502, when: "The push service failed" },
  ADMIN_ACTION_REQUIRED: {
    status: 403,
    when: "The push service requires an action by the server's administrator",
  },
});

export type ErrorCode = keyof typeof errorCodes;

/** Reasons that change the HTTP status of their code. */
export const reasonStatuses = {
  /** The target of the path does not exist. */
  missingTarget: 404,
  /** A form was sent by another site, or the page may not be used. */
  forbidden: 403,
  /** The body stopped before its end. */
  incompleteBody: 408,
  /** The server could not answer in time, or is busy. */
  unavailable: 503,
} as const;

export type ErrorReason = keyof typeof reasonStatuses;
