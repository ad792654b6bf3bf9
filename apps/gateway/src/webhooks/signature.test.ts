import { createHmac } from "node:crypto";

import { expect } from "chai";
import { Webhook } from "standardwebhooks";

import {
  githubSignature,
  gitlabToken,
  sentrySignature,
  type SignatureScheme,
  standardWebhooks,
} from "./signature.ts";

const bytes = Buffer.from('{"a":1}');
const now = Date.UTC(2026, 2, 2);

describe("Signatures of webhooks", () => {
  const verify = (
    scheme: SignatureScheme,
    headers: Record<string, string>,
    secret = "It's a secret",
    body: Uint8Array = bytes,
  ) => scheme({ headers, bytes: body, secret, now });

  it("are those that GitHub publishes as an example", () => {
    const headers = {
      "x-hub-signature-256":
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    };
    const secret = "It's a Secret to Everybody";
    expect(verify(githubSignature, headers, secret, Buffer.from("Hello, World!"))).to.equal(true);
    expect(verify(githubSignature, headers, secret, Buffer.from("Hello, World?"))).to.equal(false);
    expect(verify(githubSignature, headers, "other", Buffer.from("Hello, World!"))).to.equal(false);
    expect(verify(githubSignature, {}, secret)).to.equal(false);
  });

  it("are the token of GitLab and the digest of Sentry", () => {
    expect(verify(gitlabToken, { "x-gitlab-token": "It's a secret" })).to.equal(true);
    expect(verify(gitlabToken, { "x-gitlab-token": "It's a secre" })).to.equal(false);
    expect(verify(gitlabToken, {})).to.equal(false);
    const digest = createHmac("sha256", "It's a secret").update(bytes).digest("hex");
    expect(verify(sentrySignature, { "sentry-hook-signature": digest })).to.equal(true);
    expect(verify(sentrySignature, { "sentry-hook-signature": digest.slice(1) })).to.equal(false);
  });

  it("are those of Standard Webhooks, within five minutes, with one of several secrets", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const signed = (at: number, by = secret) => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(at / 1_000)),
      "webhook-signature": new Webhook(by).sign("msg_1", new Date(at), bytes.toString()),
    });
    expect(verify(standardWebhooks, signed(now), secret)).to.equal(true);
    expect(verify(standardWebhooks, signed(now - 299_000), secret)).to.equal(true);
    expect(verify(standardWebhooks, signed(now + 299_000), secret)).to.equal(true);
    expect(verify(standardWebhooks, signed(now - 302_000), secret)).to.equal(false);
    expect(verify(standardWebhooks, signed(now + 302_000), secret)).to.equal(false);
    const other = signed(now, "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")["webhook-signature"];
    const both = `${other} ${signed(now)["webhook-signature"]}`;
    expect(
      verify(standardWebhooks, { ...signed(now), "webhook-signature": other }, secret),
    ).to.equal(false);
    expect(
      verify(standardWebhooks, { ...signed(now), "webhook-signature": both }, secret),
    ).to.equal(true);
    expect(verify(standardWebhooks, { ...signed(now), "webhook-id": "msg_2" }, secret)).to.equal(
      false,
    );
    expect(verify(standardWebhooks, {}, secret)).to.equal(false);
  });

  it("use a secret without whsec_ as it is", () => {
    const timestamp = String(now / 1_000);
    const digest = createHmac("sha256", "It's a secret")
      .update(`msg_1.${timestamp}.${bytes.toString()}`)
      .digest("base64");
    const headers = {
      "webhook-id": "msg_1",
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${digest}`,
    };
    expect(verify(standardWebhooks, headers)).to.equal(true);
  });
});
