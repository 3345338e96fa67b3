import { connectKube } from '../../kube/client.ts';
import { type Identified, watchLabObjects } from '../watch-objects.ts';
import { type HostLine, type HostResource, progressOf } from './host-progress.ts';

type Host = HostResource & Identified;

/**
 * Watches the BareMetalHosts of the default namespace until aborted. Reports every existing host first and then each
 * visible change.
 */
export async function watchHosts(
  kubeconfig: string,
  onChange: (host: HostLine | undefined, before: HostLine | undefined) => void,
  signal: AbortSignal,
): Promise<() => readonly HostLine[]> {
  const kube = connectKube(kubeconfig);
  signal.addEventListener('abort', () => void kube.close(), { once: true });
  const progress = (host: Host | undefined): HostLine | undefined => host && progressOf(host);
  const hosts = watchLabObjects<Host>(
    kube,
    '/apis/metal3.io/v1alpha1/namespaces/default/baremetalhosts',
    (now, before) => {
      const [shown, shownBefore] = [progress(now), progress(before)];
      if (JSON.stringify(shown) !== JSON.stringify(shownBefore)) onChange(shown, shownBefore);
    },
    signal,
  );
  await hosts.synced;
  return () =>
    hosts
      .all()
      .map(progressOf)
      .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}
