/** Returns the key for requests without credentials from an address: a negative number, because ids of accounts are positive. */
export function keyOfAddress(ip: string): number {
  let hash = 0;
  for (let i = 0; i < ip.length; i++) hash = (Math.imul(hash, 31) + ip.charCodeAt(i)) >>> 0;
  return -1 - hash;
}
