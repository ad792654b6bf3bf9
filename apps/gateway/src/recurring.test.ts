import { heartbeatOf, tasksOf } from "@carillon/scheduling";

import { gatewayTasks } from "./recurring.ts";

describe("the recurring work of a gateway", () => {
  it("has a task for all recurring work declared for it, and no other", async () => {
    tasksOf("gateway", [...(await gatewayTasks()), heartbeatOf("gateway")]);
  });
});
