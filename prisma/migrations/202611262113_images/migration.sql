-- Uploaded pictures and their thumbnails (files.md §5). Pictures that were uploaded before stay files like any other.
CREATE TABLE "images" (
    "attachment_id" INTEGER NOT NULL,
    "state" VARCHAR(10) NOT NULL DEFAULT 'pending',
    "width" INTEGER,
    "height" INTEGER,
    "frames" INTEGER,
    "formats" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "images_pkey" PRIMARY KEY ("attachment_id")
);

ALTER TABLE "images" ADD CONSTRAINT "images_attachment_id_fkey" FOREIGN KEY ("attachment_id") REFERENCES "attachments"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
