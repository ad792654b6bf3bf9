import { secretsOf } from "@carillon/model";
import type { Database } from "@carillon/db";
import { StartupError } from "@carillon/kit";
import { createTestDatabase, testSite, type TestDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { createFirstOrganization } from "../realms/first-organization.ts";
import { checkSecretKey } from "./check-secret-key.ts";

describe("The check of SECRET_KEY", () => {
  const site = testSite();
  const others = secretsOf("the secret of quite another installation");
  let database: TestDatabase;
  let db: Database;
  before(async () => {
    database = await createTestDatabase();
    db = await database.connect();
  });
  after(() => database.drop());

  it("accepts any secret for a database without accounts", async () => {
    await checkSecretKey(db, others);
  });

  it("accepts only the secret that sealed the keys in the database", async () => {
    await createFirstOrganization(db, site, { demo: false });
    await checkSecretKey(db, site.secrets);
    const error: unknown = await checkSecretKey(db, others).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(StartupError);
    expect((error as StartupError).message).to.match(/^SECRET_KEY is not the one that sealed/);
  });
});
