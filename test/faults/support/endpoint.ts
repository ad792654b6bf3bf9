import { startEndpoint, startGateway, type Endpoint, type Scene } from "@carillon/testkit";
import type { World } from "./world.ts";

/** The environment of workers that call endpoints of the tests. */
export const callingVariables = {
  OUTGOING_ALLOWED_NETWORKS: "127.0.0.0/8",
  // Longer than a scenario takes to make its fault during a call, on a busy machine too.
  OUTGOING_TIMEOUT: "5",
};

/** An endpoint that workers of a world call, and a gateway of that world. */
export interface Calling {
  readonly endpoint: Endpoint;
  readonly scene: Pick<Scene, "db" | "as">;
}

/** Runs a scenario with an endpoint and a gateway, and closes them even if the scenario fails. */
export async function withEndpoint(
  { db, queues }: World,
  scenario: (calling: Calling) => Promise<void>,
): Promise<void> {
  const endpoint = await startEndpoint();
  const gateway = await startGateway(db, { queues });
  try {
    await scenario({ endpoint, scene: { db, as: (account) => gateway.as(account) } });
  } finally {
    await gateway.close();
    await endpoint.close();
  }
}
