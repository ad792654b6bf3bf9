-- Bots that are guests only because their owner is one; they come back with it.
ALTER TABLE "users" ADD COLUMN "guest_with_owner" BOOLEAN NOT NULL DEFAULT false;

-- Whoever is a guest by now has taken the bots along.
UPDATE "users" bot SET role = 600, guest_with_owner = true
FROM "users" owner WHERE owner.id = bot.bot_owner_id AND owner.role = 600 AND bot.is_bot AND bot.role <> 600;
DELETE FROM "user_group_member" m USING "users" bot, "named_user_group" g
WHERE bot.guest_with_owner AND m.user_id = bot.id AND g.id = m.group_id AND g.is_system_group;
INSERT INTO "user_group_member" (group_id, user_id)
SELECT g.id, bot.id FROM "users" bot JOIN "named_user_group" g ON g.realm_id = bot.realm_id AND g.name = 'role:everyone'
WHERE bot.guest_with_owner AND g.is_system_group ON CONFLICT DO NOTHING;
