-- Every registration gets the descriptions of all channels and folders: HTML beyond today's bound becomes the plain text.
UPDATE "channels"
SET "rendered_description" = '<p>' || replace(replace(replace("description", '&', '&amp;'), '<', '&lt;'), '>', '&gt;') || '</p>'
WHERE length("rendered_description") > 8000;
UPDATE "channel_folders"
SET "rendered_description" = '<p>' || replace(replace(replace("description", '&', '&amp;'), '<', '&lt;'), '>', '&gt;') || '</p>'
WHERE length("rendered_description") > 8000;
