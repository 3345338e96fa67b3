import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';
import { collectionPath } from '../../../kube/paths.ts';
import { NAMESPACE } from '../../e2e/support/hosts.ts';
import { KINDS } from '../../e2e/support/kinds.ts';

const metadata = z.looseObject({
  name: z.string(),
  uid: z.string(),
  deletionTimestamp: z.string().optional(),
  annotations: z.record(z.string(), z.string()).default({}),
});
const image = z.looseObject({ url: z.string().default('') }).optional();

const host = z.looseObject({
  metadata,
  spec: z.looseObject({
    online: z.boolean(),
    externallyProvisioned: z.boolean().default(false),
    image,
    consumerRef: z.looseObject({ name: z.string() }).optional(),
  }),
  status: z
    .looseObject({
      errorType: z.string().default(''),
      errorMessage: z.string().default(''),
      operationalStatus: z.string().default(''),
      poweredOn: z.boolean().default(false),
      provisioning: z.looseObject({ state: z.string().default(''), image, ID: z.string().default('') }).prefault({}),
    })
    .prefault({}),
});
export type HostNow = z.infer<typeof host>;

const machine = z.looseObject({ metadata, spec: z.looseObject({ image }) });
export type MachineNow = z.infer<typeof machine>;

/** The hosts and machines as the API server has them. */
export interface ObjectsNow {
  readonly hosts: readonly HostNow[];
  readonly machines: readonly MachineNow[];
}

const HOSTS = { apiVersion: 'metal3.io/v1alpha1', plural: 'baremetalhosts' };

export async function objectsNow({ kube }: { readonly kube: Kube }): Promise<ObjectsNow> {
  const [hosts, machines] = await Promise.all([
    kube.request({ path: collectionPath(HOSTS, NAMESPACE) }),
    kube.request({ path: collectionPath(KINDS.metal3Machine, NAMESPACE) }),
  ]);
  return {
    hosts: z.object({ items: z.array(host) }).parse(hosts).items,
    machines: z.object({ items: z.array(machine) }).parse(machines).items,
  };
}
