-- Whom a text mentions by name, and not silently: the ids, as texts.
CREATE FUNCTION mentioned_users(html text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT array(SELECT DISTINCT found[1]
    FROM regexp_matches(html, '<span class="user-mention" data-user-id="([0-9]+)">', 'g') AS found)
$$;

-- What mentions somebody is found without reading everybody's texts. Messages cannot be sent while the index is made, about
-- a second for 100,000 that mention somebody, and what it takes to read the texts of all.
CREATE INDEX "messages_mentions_idx" ON "messages" USING gin (mentioned_users(rendered_content))
  WHERE rendered_content LIKE '%<span class="user-mention" data-user-id="%';
