/** Of every BMC in the shared Ironic lab. `secrets.test.ts` searches everything that the lab writes for it. */
export const BMC_PASSWORD = 'canary-password-7f3a9c';
