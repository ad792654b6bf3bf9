import { expect } from "chai";

import { pushRequestFor } from "./requests.ts";
import { pushRequest } from "./wire.ts";

const tokenId = Buffer.from([255, 254, 253, 0, 1, 2, 3, 4]);
const payload = { push_key_id: 4_294_967_295, encrypted_data: "data" };
const device = { tokenId, pushKeyId: payload.push_key_id };
const aps = { "mutable-content": 1, alert: { title: "New notification" } };

// push.md §4
describe("An entry of push_requests", () => {
  const token_id = "//79AAECAwQ=";
  const entries = {
    fcm: {
      message: { token_id, fcm_priority: "high", payload },
      test: { token_id, fcm_priority: "high", payload },
      remove: { token_id, fcm_priority: "normal", payload },
    },
    apns: {
      message: {
        token_id,
        http_headers: { apns_priority: 10, apns_push_type: "alert" },
        payload: { ...payload, aps },
      },
      test: {
        token_id,
        http_headers: { apns_priority: 10, apns_push_type: "alert" },
        payload: { ...payload, aps },
      },
      remove: {
        token_id,
        http_headers: { apns_priority: 5, apns_push_type: "background" },
        payload: { ...payload, aps },
      },
    },
  };
  for (const tokenKind of ["fcm", "apns"] as const)
    for (const type of ["message", "test", "remove"] as const)
      it(`of ${tokenKind} for a ${type}`, () => {
        const entry = pushRequestFor({ ...device, tokenKind }, type, "data");
        expect(entry).to.deep.equal(entries[tokenKind][type]);
        expect(pushRequest.parse(entry)).to.deep.equal(entry);
      });
});
