/**
 * The password of every BMC in the shared Ironic lab. `secrets.test.ts` searches for it in everything that the lab
 * writes.
 */
export const BMC_PASSWORD = 'canary-password-7f3a9c';
