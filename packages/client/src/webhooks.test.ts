import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import {
  verifyWebhook,
  WebhookError,
  type WebhookOptions,
  type WebhookRequest,
} from "./webhooks.ts";

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;
const secret = newSecret();
const now = 1_800_000_000_000;

/** A request that the reference implementation has signed. */
function signed(
  body: string,
  by = secret,
  at = now,
): { readonly body: string; readonly headers: Record<string, string> } {
  const id = "msg_1";
  return {
    body,
    headers: {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at / 1_000)),
      "webhook-signature": new Webhook(by).sign(id, new Date(at), body),
    },
  };
}

function withOtherFirstByte(headers: Readonly<Record<string, string>>): string {
  const bytes = Buffer.from((headers["webhook-signature"] ?? "").slice("v1,".length), "base64");
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return `v1,${bytes.toString("base64")}`;
}

/** Returns why it is refused; undefined if it is not. */
async function refusal(request: WebhookRequest, options: Partial<WebhookOptions> = {}) {
  try {
    await verifyWebhook(request, { secret, now, ...options });
    return undefined;
  } catch (error) {
    if (error instanceof WebhookError) return error.reason;
    throw error;
  }
}

describe("verifyWebhook", () => {
  it("accepts what the reference implementation has signed", async () => {
    for (const body of ["", "{}", '{"a":"ä🔔"}', "x".repeat(1_000_000)]) {
      const request = signed(body);
      const expected = { id: "msg_1", timestamp: now / 1_000 };
      expect(await verifyWebhook(request, { secret, now })).to.deep.equal(expected);
      const bytes = { ...request, body: Buffer.from(body) };
      expect(await verifyWebhook(bytes, { secret, now })).to.deep.equal(expected);
    }
  });

  it("takes headers in any form and letter case", async () => {
    const { body, headers } = signed("{}");
    const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]);
    expect(await refusal({ body, headers: new Headers(headers) })).to.equal(undefined);
    expect(await refusal({ body, headers: Object.fromEntries(upper) })).to.equal(undefined);
    const twice = { ...headers, "webhook-id": ["msg_1", "msg_1"] };
    expect(await refusal({ body, headers: twice })).to.equal("missing");
  });

  it("refuses a request of which anything has changed", async () => {
    const { body, headers } = signed("{}");
    const changed: WebhookRequest[] = [
      { body: "{} ", headers },
      { body, headers: { ...headers, "webhook-id": "msg_2" } },
      { body, headers: { ...headers, "webhook-timestamp": String(now / 1_000 + 1) } },
      { body, headers: { ...headers, "webhook-signature": "v1,AAAA" } },
      { body, headers: { ...headers, "webhook-signature": "v1,%%%%" } },
      // Only the first byte is wrong.
      { body, headers: { ...headers, "webhook-signature": withOtherFirstByte(headers) } },
      {
        body,
        headers: {
          ...headers,
          "webhook-signature": headers["webhook-signature"]?.replace("v1,", "v1a,"),
        },
      },
      signed("{}", newSecret()),
    ];
    for (const request of changed) expect(await refusal(request)).to.equal("signature");
  });

  it("refuses a request without its three headers", async () => {
    const { body, headers } = signed("{}");
    for (const name of Object.keys(headers)) {
      for (const value of [undefined, ""])
        expect(await refusal({ body, headers: { ...headers, [name]: value } })).to.equal("missing");
    }
    for (const time of ["1e9", "-5", "0x10", "1800000000.5", " 1800000000", "9".repeat(400)])
      expect(await refusal({ body, headers: { ...headers, "webhook-timestamp": time } })).to.equal(
        "missing",
      );
  });

  it("refuses a request that is more than five minutes old, or from the future", async () => {
    for (const [offBy, expected] of [
      [-300_000, undefined],
      [300_000, undefined],
      [-301_000, "time"],
      [301_000, "time"],
    ] as const)
      expect(await refusal(signed("{}", secret, now + offBy)), String(offBy)).to.equal(expected);
    expect(await refusal(signed("{}", secret, now - 50_000), { toleranceSeconds: 40 })).to.equal(
      "time",
    );
  });

  it("accepts any of several secrets and any of several signatures", async () => {
    const [older, newer] = [newSecret(), newSecret()];
    const [first, second] = [signed("{}", older), signed("{}", newer)];
    const both = `v2,unknown ${first.headers["webhook-signature"]} ${second.headers["webhook-signature"]}`;
    const request = { body: "{}", headers: { ...first.headers, "webhook-signature": both } };
    for (const given of [older, newer, [newSecret(), newer], [older, newSecret()]])
      expect(await refusal(request, { secret: given })).to.equal(undefined);
    expect(await refusal(request, { secret: newSecret() })).to.equal("signature");
  });

  it("names the secret if it is none", async () => {
    for (const given of ["", "whsec_", "whsec_%%", []]) {
      const error: unknown = await verifyWebhook(signed("{}"), { secret: given, now }).catch(
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(TypeError);
      expect(String(error)).to.include("secret");
    }
  });
});
