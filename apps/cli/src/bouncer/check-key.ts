import { statement, type Sql } from "@carillon/db";
import { sealerOf, StartupError } from "@carillon/kit";

const sealedKeys = statement({
  name: "bouncer-sealed-keys",
  text: "SELECT sealed_private_key AS sealed FROM key_pair",
});

/** Checks the bouncer's key. @throws StartupError when its keys were encrypted with another `SECRET_KEY` */
export async function checkBouncerKey(sql: Sql, secretKey: string): Promise<void> {
  const sealer = sealerOf(secretKey, "bouncer");
  const keys = await sql.rows(sealedKeys);
  try {
    for (const { sealed } of keys) sealer.open(sealed);
  } catch {
    throw new StartupError(
      "SECRET_KEY differs from the one that the bouncer's backup was made with",
    );
  }
}
