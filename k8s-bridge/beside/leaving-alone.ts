import { checkedWrites } from '../../kube/checked-writes.ts';
import { type Kube, KubeError } from '../../kube/client.ts';
import type { BesideOthers } from './beside.ts';

/** The API server as a bridge writes to it: objects that are left to another operator are not written. */
export const leavingAlone = (kube: Kube, why: BesideOthers['why']): Kube =>
  checkedWrites(kube, (method, path) => {
    const [, apiVersion = '', namespace = ''] = WITHIN.exec(path) ?? [];
    const words = why({ apiVersion }, decodeURIComponent(namespace));
    // As an admission policy that forbids the write.
    if (words !== undefined) throw new KubeError(`${method} ${path}`, 403, { reason: 'Forbidden', message: words });
  });

const WITHIN = /^\/apis\/([^/]+\/[^/]+)\/namespaces\/([^/]+)\//;
