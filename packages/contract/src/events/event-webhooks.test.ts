import { expect } from "chai";
import { deliveredFaults, type DeliveredEvent } from "./catalogue.ts";
import { eventWebhooks } from "./event-webhooks.ts";

interface Webhook {
  readonly post: {
    readonly requestBody: {
      readonly content: { readonly "application/json": { readonly example: DeliveredEvent } };
    };
  };
}

describe("The events in the OpenAPI document", () => {
  for (const [kind, webhook] of Object.entries(eventWebhooks())) {
    it(`have a valid example: ${kind}`, () => {
      const { example } = (webhook as Webhook).post.requestBody.content["application/json"];
      expect(deliveredFaults(example), JSON.stringify(example)).to.deep.equal([]);
    });
  }
});
