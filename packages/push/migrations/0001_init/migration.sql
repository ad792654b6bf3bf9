-- Chat servers that may use this bouncer.
CREATE TABLE server (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  -- SHA-256 of the key, which is random: nobody finds it by trying.
  key_hash bytea NOT NULL CHECK (length(key_hash) = 32),
  -- Calls in 60 s; null for no limit.
  rate_limit integer CHECK (rate_limit > 0),
  -- The organizations it may speak for; null for any.
  realms uuid[],
  created_at timestamptz NOT NULL DEFAULT now()
);

-- What a server has asked for in the last minute, in slices of two seconds numbered from the epoch.
CREATE TABLE rate_hit (
  server_id uuid NOT NULL REFERENCES server (id) ON DELETE CASCADE,
  slice bigint NOT NULL,
  hits integer NOT NULL,
  PRIMARY KEY (server_id, slice)
);

-- X25519 keys that clients seal their registrations with.
CREATE TABLE key_pair (
  public_key bytea PRIMARY KEY CHECK (length(public_key) = 32),
  -- Sealed with a key that comes from SECRET_KEY.
  sealed_private_key bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Devices, as a server knows them: by the first 8 bytes of SHA-256 of their token.
CREATE TABLE registration (
  server_id uuid NOT NULL REFERENCES server (id) ON DELETE CASCADE,
  realm_uuid uuid NOT NULL,
  token_id bytea NOT NULL CHECK (length(token_id) = 8),
  kind text NOT NULL CHECK (kind IN ('fcm', 'apns')),
  -- Sealed with a key that comes from SECRET_KEY.
  sealed_token bytea NOT NULL,
  ios_app_id text CHECK ((ios_app_id IS NOT NULL) = (kind = 'apns')),
  registered_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (server_id, realm_uuid, token_id)
);

-- What became of each device of a call with an Idempotency-Key. See docs/decisions/032.
CREATE TABLE notify_call (
  server_id uuid NOT NULL REFERENCES server (id) ON DELETE CASCADE,
  idempotency_key text NOT NULL,
  -- By the token's id in Base64: handing, sent, dead, refused, unsure or undelivered.
  devices jsonb NOT NULL,
  -- Who works on it, and until when others leave it alone.
  holder uuid,
  held_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (server_id, idempotency_key)
);

-- For clearing those that are a day old.
CREATE INDEX notify_call_created_at_idx ON notify_call (created_at);
