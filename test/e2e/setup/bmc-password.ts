/** Of every BMC in the shared Ironic lab. `secrets.test.ts` looks for it in all that the lab writes. */
export const BMC_PASSWORD = 'canary-password-7f3a9c';
