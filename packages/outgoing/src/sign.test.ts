import { expect } from "chai";
import { Webhook } from "standardwebhooks";

import { newSigningSecret, signatureHeaders } from "./sign.ts";

describe("signatureHeaders", () => {
  const body = Buffer.from('{"text":"Grüße"}');
  const request = { id: "call_1", timestamp: Math.floor(Date.now() / 1_000), body };

  it("are verified by a library of Standard Webhooks, with each live secret", () => {
    const secrets = [newSigningSecret(), newSigningSecret()];
    const headers = signatureHeaders(secrets, request);
    for (const secret of secrets)
      expect(new Webhook(secret).verify(body.toString(), headers)).to.deep.equal({ text: "Grüße" });
    expect(headers["webhook-signature"]).to.match(/^v1,[\w+/]+=* v1,[\w+/]+=*$/);
  });

  it("are refused for another secret, id, time or body", () => {
    const secret = newSigningSecret();
    const headers = signatureHeaders([secret], request);
    const verify = (given = headers, text = body.toString(), key = secret) =>
      new Webhook(key).verify(text, given);
    expect(() => verify()).not.to.throw();
    expect(() => verify({ ...headers, "webhook-id": "call_2" })).to.throw();
    expect(() =>
      verify({ ...headers, "webhook-timestamp": String(request.timestamp - 1) }),
    ).to.throw();
    expect(() => verify(headers, "{}")).to.throw();
    expect(() => verify(headers, body.toString(), newSigningSecret())).to.throw();
  });
});

describe("newSigningSecret", () => {
  it("has 32 random bytes", () => {
    const secret = newSigningSecret();
    expect(secret).to.match(/^whsec_/);
    expect(Buffer.from(secret.slice(6), "base64")).to.have.length(32);
    expect(newSigningSecret()).not.to.equal(secret);
  });
});
