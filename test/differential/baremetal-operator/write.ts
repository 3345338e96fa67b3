import { same } from '../../../domain/same.ts';
import type { Kube } from '../../../kube/client.ts';
import {
  hardwareDataCollection,
  hardwareDataPath,
  hostCollection,
  hostPath,
  secretCollection,
  secretPath,
} from '../../../kube/paths.ts';
import { field } from '../watch-versions.ts';
import { LOGIN, type Step } from './story.ts';

/** Every story is about one host of this name. */
export const HOST = 'host';

export interface Stage {
  readonly kube: Kube;
  readonly namespace: string;
  /** Fills in values that depend on the lab, such as the address of a BMC. */
  readonly adapt?: (spec: Readonly<Record<string, unknown>>) => object;
  /** Credentials of the BMC there. */
  readonly login?: { readonly username: string; readonly password: string };
}

/** Performs a step that writes. Returns the resulting object, or the API server's response to a deletion. */
export function write(
  step: Step,
  { kube, namespace, login, adapt = (spec) => spec }: Stage,
): Promise<unknown> | undefined {
  const host = hostPath({ namespace, name: HOST });
  const create = (kind: 'BareMetalHost' | 'HardwareData', body: object): Promise<unknown> =>
    kube.request({
      method: 'POST',
      path: (kind === 'HardwareData' ? hardwareDataCollection : hostCollection)(namespace),
      body: { apiVersion: 'metal3.io/v1alpha1', kind, ...body },
    });
  const remove = (path: string): Promise<unknown> => kube.request({ method: 'DELETE', path });
  const metadata = { name: HOST, namespace };

  if ('secret' in step)
    return putSecret(login !== undefined && same(step.data, LOGIN) ? { ...step, data: login } : step, kube, namespace);
  if ('hardwareData' in step) return create('HardwareData', { metadata, spec: { hardware: step.hardwareData } });
  if ('create' in step) {
    const { annotations = {}, labels = {} } = step;
    return create('BareMetalHost', { metadata: { ...metadata, annotations, labels }, spec: adapt(step.create) });
  }
  if ('spec' in step) return kube.patch(host, { spec: adapt(step.spec) });
  if ('status' in step) return kube.patch(`${host}/status`, { status: step.status });
  if ('annotate' in step) return kube.patch(host, { metadata: { annotations: step.annotate } });
  if ('label' in step) return kube.patch(host, { metadata: { labels: step.label } });
  if ('delete' in step) return remove(step.delete === 'host' ? host : hardwareDataPath({ namespace, name: HOST }));
  if ('deleteSecret' in step) return remove(secretPath({ namespace, name: step.deleteSecret }));
  return undefined;
}

async function putSecret(step: Extract<Step, { secret: unknown }>, kube: Kube, namespace: string): Promise<unknown> {
  const { secret: name, data: stringData, type = 'Opaque' } = step;
  const path = secretPath({ namespace, name });
  const found = await kube.find(path);
  if (found === undefined) {
    const body = { apiVersion: 'v1', kind: 'Secret', type, metadata: { name }, stringData };
    return kube.request({ method: 'POST', path: secretCollection(namespace), body });
  }
  const body = { apiVersion: 'v1', kind: 'Secret', type, metadata: field(found, 'metadata'), stringData };
  return kube.request({ method: 'PUT', path, body });
}
