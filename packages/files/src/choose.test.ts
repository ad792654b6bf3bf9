import { readEnvironment, StartupError } from "@carillon/kit";
import { expect } from "chai";

import { fileStoreFromEnvironment } from "./index.ts";

const all = {
  S3_BUCKET: "files",
  S3_REGION: "eu-central-1",
  S3_ACCESS_KEY_ID: "key",
  S3_SECRET_ACCESS_KEY: "s3cret",
};

describe("The configuration of the file store", () => {
  const about = (variables: Record<string, string>) =>
    fileStoreFromEnvironment(readEnvironment(variables)).about;

  it("uses FILES_DIR, by default the folder files in DATA_DIR", () => {
    expect(about({ DATA_DIR: "/srv/carillon" })).to.equal("in the folder /srv/carillon/files");
    expect(about({ FILES_DIR: "/srv/files" })).to.equal("in the folder /srv/files");
  });

  it("uses a bucket if the variables of S3 are set", () => {
    expect(about(all)).to.equal("in the bucket files in eu-central-1");
    const { S3_REGION: _, ...others } = all;
    expect(about({ ...others, S3_ENDPOINT: "https://s3.example.com" })).to.equal(
      "in the bucket files at https://s3.example.com",
    );
  });

  for (const missing of Object.keys(all) as (keyof typeof all)[])
    it(`names ${missing} if only that variable is missing, and no secret`, () => {
      const { [missing]: _, ...others } = all;
      expect(() => about(others))
        .to.throw(StartupError, new RegExp(`^${missing} is not set, but S3_\\w+ is:`))
        .with.property("message")
        .that.does.not.include("s3cret");
    });

  it("names all missing variables", () => {
    expect(() => about({ S3_ENDPOINT: "https://s3.example.com" })).to.throw(
      StartupError,
      /^S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY are not set, but S3_ENDPOINT is:/,
    );
    expect(() => about({ S3_FORCE_PATH_STYLE: "true" })).to.throw(/^S3_BUCKET, S3_REGION, /);
  });

  it("is refused if it names a folder and a bucket", () => {
    expect(() => about({ ...all, FILES_DIR: "/srv/files" })).to.throw(
      StartupError,
      /^FILES_DIR is set, and S3_BUCKET too/,
    );
  });
});
