import { setTimeout as sleep } from 'node:timers/promises';
import {
  CustomObjectsApi,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
} from '@kubernetes/client-node';
import { type HostProgress, type HostResource, progressOf } from './host-progress.ts';

export interface HostWatch {
  readonly hosts: () => readonly HostProgress[];
  readonly stop: () => Promise<void>;
}

type Host = Omit<HostResource, 'metadata'> & KubernetesObject;

/** Follows the BareMetalHosts of the default namespace; told of each change, at first of each host there is. */
export async function watchHosts(
  kubeconfig: string,
  onChange: (host: HostProgress, before: HostProgress | undefined) => void,
): Promise<HostWatch> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = config.makeApiClient(CustomObjectsApi);
  const target = { group: 'metal3.io', version: 'v1alpha1', namespace: 'default', plural: 'baremetalhosts' };
  const list = (): Promise<KubernetesListObject<Host>> =>
    api.listNamespacedCustomObject(target) as Promise<KubernetesListObject<Host>>;
  const informer = makeInformer(config, '/apis/metal3.io/v1alpha1/namespaces/default/baremetalhosts', list);
  const known = new Map<string, HostProgress>();
  const seen = (host: Host): void => {
    const now = progressOf(host);
    const before = known.get(now.name);
    known.set(now.name, now);
    if (JSON.stringify(now) !== JSON.stringify(before)) onChange(now, before);
  };
  let isStopped = false;
  informer.on('add', seen);
  informer.on('update', seen);
  informer.on('delete', (host) => known.delete(host.metadata?.name ?? ''));
  const startAgain = async (): Promise<void> => {
    // The API server was restarted: go on when it is back.
    for (let isStarted = false; !isStarted && !isStopped; ) {
      await sleep(1_000);
      isStarted = await informer.start().then(
        () => true,
        () => false,
      );
    }
  };
  informer.on('error', () => void startAgain());
  await informer.start();
  return {
    hosts: () => [...known.values()].sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true })),
    stop: async () => {
      isStopped = true;
      await informer.stop();
    },
  };
}
