import { z } from 'zod';
import { objectMeta } from '../../../api/meta/object-meta.ts';
import { configMapPath } from '../../../kube/paths.ts';
import { NAMESPACE } from '../../e2e/support/hosts.ts';
import type { AnyTestLab } from '../hosts.ts';
import { isDetached, isPaused, wantedImage } from './as-specified.ts';
import type { HostNow } from './objects.ts';
import type { Problem } from './problem.ts';
import type { Restores } from './restores.ts';

/** A server as its provisioner knows it. */
export interface ServerNow {
  readonly id: string;
  readonly host: string;
  readonly state: string;
  readonly image: string;
}

/** Servers that are left without a host, or are not as their host says. */
export async function unlikeHosts(
  lab: AnyTestLab,
  hosts: readonly HostNow[],
  { setBack, forgotten }: Restores,
): Promise<readonly Problem[]> {
  const servers = await ('ironicDirect' in lab.endpoints
    ? ironicServers(lab.endpoints.ironicDirect)
    : fixtureServers(lab));
  const managed = hosts.filter((host) => !isPaused(host) && !isDetached(host));
  const left = servers
    .filter(({ host }) => !managed.some(({ metadata }) => metadata.name === host) && !forgotten.has(host))
    .map(({ host, state }) => ({ of: host, what: `a server is left, ${state}` }));
  const missing = managed
    .filter(({ metadata }) => servers.filter(({ host }) => host === metadata.name).length !== 1)
    .map(({ metadata }) => ({ of: metadata.name, what: 'has no server, or several' }));
  return [...left, ...missing, ...managed.flatMap((host) => unlikeHost(host, servers, setBack))];
}

/**
 * What is wrong with the server of a host. Nothing is deployed on that of an externally provisioned host, whatever its
 * spec.image is, but it is in use.
 */
export function unlikeHost(
  host: HostNow,
  servers: readonly ServerNow[],
  setBack: Restores['setBack'],
): readonly Problem[] {
  const { metadata, spec, status } = host;
  const server = servers.find((one) => one.host === metadata.name);
  if (server === undefined) return [];
  const wanted = spec.externallyProvisioned ? '' : wantedImage(host);
  const states = wanted === '' && !spec.externallyProvisioned ? ['available', 'manageable'] : ['active'];
  const isAs = states.includes(server.state) && server.image === wanted;
  const { state } = status.provisioning;
  const undone = setBack.undone(server.id);
  const isUndone = (state === 'available' && undone === 'erase') || (state === 'provisioned' && undone === 'deploy');
  const what = `its server is ${server.state} with '${server.image}' instead of '${wanted}'`;
  return isAs || isUndone ? [] : [{ of: metadata.name, what }];
}

const configMaps = z.object({
  items: z.array(z.looseObject({ metadata: objectMeta, data: z.record(z.string(), z.string()).default({}) })),
});

/** A machine without a state is not registered. A change that is due is written with the next one. */
async function fixtureServers({ kube }: AnyTestLab): Promise<readonly ServerNow[]> {
  const query = { labelSelector: 'temper/fixture=machine' };
  const { items } = configMaps.parse(await kube.request({ path: configMapPath({ namespace: NAMESPACE }), query }));
  return items.flatMap(
    ({ metadata: { name: id }, data: { host = '', state, image = '', nextState = '', nextAt = '' } }) =>
      state === undefined ? [] : [{ id, host, state: Date.parse(nextAt) <= Date.now() ? nextState : state, image }],
  );
}

const nodes = z.object({
  nodes: z.array(
    z.looseObject({
      uuid: z.string(),
      name: z.string().nullable(),
      provision_state: z.string(),
      instance_info: z.looseObject({ image_source: z.string().optional() }),
    }),
  ),
});

async function ironicServers(ironic: string): Promise<readonly ServerNow[]> {
  const answer = await fetch(new URL('nodes?fields=uuid,name,provision_state,instance_info', ironic), {
    headers: { 'X-OpenStack-Ironic-API-Version': '1.89' },
  });
  return nodes
    .parse(await answer.json())
    .nodes.map(({ uuid: id, name, provision_state: state, instance_info: info }) => ({
      id,
      host: name?.split('~').at(-1) ?? '',
      state,
      image: info.image_source ?? '',
    }));
}
