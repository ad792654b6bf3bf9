-- Sending leaves the words of new messages in a list, which costs it a tenth of an insert that files each of them. The
-- recurring work file-words empties it every few seconds, so that searches have little to read; it may grow to 32 MB
-- meanwhile, so that no delivery has to file what a burst has left.
ALTER INDEX "messages_search_idx" SET (fastupdate = on, gin_pending_list_limit = 32768);
