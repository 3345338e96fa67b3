import { z } from 'zod';
import { objectMeta } from '../../../api/meta/object-meta.ts';
import { hasCome } from '../../../domain/clock.ts';
import { configMapPath } from '../../../kube/paths.ts';
import { NAMESPACE } from '../../e2e/support/hosts.ts';
import type { TestLab } from '../../e2e/support/lab.ts';
import { machineOf } from '../../e2e/support/metal.ts';
import { type AnyTestLab, indexOf, isOnIronic } from '../hosts.ts';
import { type NodeNow, nodesNow } from '../ironic-nodes.ts';
import { isDetached, isPaused, wantedImage } from './as-specified.ts';
import type { HostNow } from './objects.ts';
import type { Problem } from './problem.ts';
import type { Restores } from './restores.ts';

/** A server as its provisioner knows it. */
export interface ServerNow extends NodeNow {
  /** URL of the image on the disk, '' for none; undefined on the fixture, whose servers have no disks. */
  readonly disk?: string;
}

/** Servers that are left without a host, or are not as their host says. */
export async function unlikeHosts(
  lab: AnyTestLab,
  hosts: readonly HostNow[],
  restores: Restores,
): Promise<readonly Problem[]> {
  const servers = await (isOnIronic(lab) ? ironicServers(lab) : fixtureServers(lab));
  const managed = hosts.filter((host) => !isPaused(host) && !isDetached(host));
  const left = servers
    .filter(({ host }) => !managed.some(({ metadata }) => metadata.name === host) && !restores.forgotten.has(host))
    .map(({ host, state }) => ({ of: host, what: `a server is left, ${state}` }));
  const missing = managed
    .filter(({ metadata }) => servers.filter(({ host }) => host === metadata.name).length !== 1)
    .map(({ metadata }) => ({ of: metadata.name, what: 'has no server, or several' }));
  return [...left, ...missing, ...managed.flatMap((host) => unlikeHost(host, servers, restores))];
}

/**
 * What is wrong with the server of a host. Nothing is deployed on that of an externally provisioned host, whatever its
 * spec.image is, but it is in use.
 */
export function unlikeHost(
  host: HostNow,
  servers: readonly ServerNow[],
  { setBack, earlier, untold }: Pick<Restores, 'setBack' | 'earlier' | 'untold'>,
): readonly Problem[] {
  const { metadata, spec, status } = host;
  const { name } = metadata;
  const server = servers.find((one) => one.host === name);
  if (server === undefined) return [];
  const wanted = spec.externallyProvisioned ? '' : wantedImage(host);
  const states = wanted === '' && !spec.externallyProvisioned ? ['available', 'manageable'] : ['active'];
  const isAs = states.includes(server.state) && server.image === wanted;
  const { state } = status.provisioning;
  const undone = setBack.undone(server.id);
  const isUndone = (state === 'available' && undone === 'erase') || (state === 'provisioned' && undone === 'deploy');
  // A restored Ironic takes the image that it remembers for the one that was deployed since.
  const isEarlier = wanted !== '' && server.disk === wanted && isSame(server, earlier.of(name));
  if (!isAs && !isUndone && !isEarlier) {
    return [{ of: name, what: `its server is ${server.state} with '${server.image}' instead of '${wanted}'` }];
  }
  // Restored objects may agree with a restored Ironic, or be registered anew, so that nobody learns of the disk.
  const isAsWritten = server.disk === undefined || server.disk === wanted || untold.undone(name) !== undefined;
  return isAsWritten ? [] : [{ of: name, what: `its disk has '${server.disk}' instead of '${wanted}'` }];
}

const isSame = ({ id, state, image }: ServerNow, record: NodeNow | undefined): boolean =>
  state === 'active' && id === record?.id && state === record.state && image === record.image;

const configMaps = z.object({
  items: z.array(z.looseObject({ metadata: objectMeta, data: z.record(z.string(), z.string()).default({}) })),
});

/** Nothing that a server of the fixture does takes longer: a later end was written with a wrong clock. */
const LONGEST_MS = 3_600_000;

/** A machine without a state is not registered. A change that is due is written with the next one. */
async function fixtureServers({ kube }: AnyTestLab): Promise<readonly ServerNow[]> {
  const query = { labelSelector: 'temper/fixture=machine' };
  const { items } = configMaps.parse(await kube.request({ path: configMapPath({ namespace: NAMESPACE }), query }));
  return items.flatMap(
    ({ metadata: { name: id }, data: { host = '', state, image = '', nextState = '', nextAt = '' } }) =>
      state === undefined
        ? []
        : [{ id, host, state: hasCome(Date.parse(nextAt), Date.now(), LONGEST_MS) ? nextState : state, image }],
  );
}

/** With the image that is on the disk, whatever Ironic knows. */
async function ironicServers(lab: TestLab): Promise<readonly ServerNow[]> {
  const servers = await nodesNow(lab);
  return Promise.all(
    servers.map(async (node) => {
      const { disk } = await machineOf(lab, indexOf(node.host));
      return { ...node, disk: written.parse(disk.image)?.url ?? '' };
    }),
  );
}

const written = z.looseObject({ url: z.string() }).nullable();
