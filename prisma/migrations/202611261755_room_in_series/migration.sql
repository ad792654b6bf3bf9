-- Each occurrence updates the row of its series, and one transaction updates hundreds of neighbours. With room for a second
-- version of each row on its page, none of the indexes changes.
ALTER TABLE "message_series" SET (fillfactor = 50);
