import { type Kube, KubeError } from '../../kube/client.ts';
import type { BesideOthers } from './beside.ts';

/** The API server as a bridge writes to it: objects that are left to another operator are not written. */
export function leavingAlone(kube: Kube, why: BesideOthers['why']): Kube {
  const refuse = (method: string, path: string): void => {
    const [, apiVersion = '', namespace = ''] = WITHIN.exec(path) ?? [];
    const words = why({ apiVersion }, decodeURIComponent(namespace));
    // As an admission policy that forbids the write.
    if (words !== undefined) throw new KubeError(`${method} ${path}`, 403, { reason: 'Forbidden', message: words });
  };
  return {
    ...kube,
    async request(call) {
      const { method = 'GET', path } = call;
      if (method !== 'GET') refuse(method, path);
      return kube.request(call);
    },
    async patch(path, body) {
      refuse('PATCH', path);
      return kube.patch(path, body);
    },
  };
}

const WITHIN = /^\/apis\/([^/]+\/[^/]+)\/namespaces\/([^/]+)\//;
