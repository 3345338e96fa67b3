import type { Kube } from './client.ts';

/** The same API server; `check` throws for a write that must not be made. */
export const checkedWrites = (kube: Kube, check: (method: string, path: string) => void): Kube => ({
  ...kube,
  async request(call) {
    const { method = 'GET', path } = call;
    if (method !== 'GET') check(method, path);
    return kube.request(call);
  },
  async patch(path, body) {
    check('PATCH', path);
    return kube.patch(path, body);
  },
});
