import { afterEach, describe, expect, test } from 'vitest';
import { MACHINE_FINALIZER } from '../../../domain/machine/names.ts';
import { sealImage } from '../../../kube/objects/sealed-urls.ts';
import { type ApiServerOf, apiServerOf } from '../../../test/builders/api-server-of.ts';
import { STALE } from '../../../workflows/messages.ts';
import { createMachineHostActivities } from './machine-host.ts';

const IMAGE = { url: 'https://me:canary@images/a?sig=canary', checksum: 'https://images/SUMS?sig=canary' };
const HOST = { namespace: 'metal', name: 'host-1', uid: 'uid-1' };
const MACHINE = { namespace: 'metal', name: 'm3m-1' };
const INFRASTRUCTURE = '/apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/metal';

let open: ApiServerOf | undefined;
afterEach(async () => open?.close());
/** Writes the sealed image of a Metal3Machine to a host. */
async function write(spec: object) {
  const metadata = { namespace: 'metal', resourceVersion: '1' };
  open = await apiServerOf({
    '/apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts/host-1': {
      metadata: { ...metadata, name: 'host-1', uid: 'uid-1' },
    },
    [`${INFRASTRUCTURE}/metal3machines/m3m-1`]: {
      metadata: { ...metadata, name: 'm3m-1', uid: 'uid-2', finalizers: [MACHINE_FINALIZER] },
      spec,
    },
  });
  const change = { image: { ...sealImage('uid-2', IMAGE), diskFormat: 'raw' as const } };
  return createMachineHostActivities(open.kube).changeHost({ host: HOST, machine: MACHINE, change });
}

describe('the image of a machine', () => {
  test('is written to its host with the secrets in its URLs, which the answer does not have', async () => {
    const answer = await write({ image: { ...IMAGE, diskFormat: 'raw' } });
    expect(open?.patches).toMatchObject([{ spec: { image: { ...IMAGE, format: 'raw' } } }]);
    expect(JSON.stringify(answer)).not.toContain('canary');
  });

  test('is not written when the machine has another one by now', async () => {
    const thrown: unknown = await write({ image: { ...IMAGE, checksum: 'abc' } }).catch((error: unknown) => error);
    const message = 'Metal3Machine metal/m3m-1 has another image meanwhile';
    expect(thrown).toMatchObject({ type: STALE, nonRetryable: true, message });
    expect(open?.patches).toEqual([]);
  });
});
