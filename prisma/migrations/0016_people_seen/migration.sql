-- The direct conversations of an account: whom a guest sees that does not see everybody. Written only when somebody
-- begins a conversation, so that nothing needs to wait in a pending list, which each look-up would have to read.
CREATE INDEX "recipients_member_ids_idx" ON "recipients" USING gin ("member_ids") WITH (fastupdate = off)
  WHERE "member_ids" IS NOT NULL;
