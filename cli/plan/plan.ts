import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { maybeText, orEmpty } from '../../api/meta/lenient.ts';
import type { Kube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { hostPath, objectPath } from '../../kube/paths.ts';
import { endpointsOf, openKube } from '../access.ts';
import { metal3MachineCalled } from '../explain/gather.ts';
import { createReading, type Reading } from '../explain/reading.ts';
import { DONE, type Out, REFUSED } from '../out.ts';
import { printable } from '../printable.ts';
import { applied, type Manifest, readManifest } from './applied.ts';
import { hostLines, type PlannedHost, planFor } from './host.ts';
import { machineLines, type PlannedMachine, planMachine } from './machine.ts';
import type { PlanRequest } from './options.ts';
import { MACHINE_KINDS } from './wished-machine.ts';

type Planned = PlannedHost | PlannedMachine;

/** Prints plans. Returns the exit code: REFUSED when something cannot be planned. */
export async function printPlans(request: PlanRequest, out: Out, now: number): Promise<number> {
  const kube = openKube(endpointsOf(request.labFolder));
  try {
    const { plans, others } = await planned(request, kube, now);
    if (request.output === 'json') out.line(JSON.stringify(plans, null, 2));
    else for (const each of plans) for (const line of linesOf(each)) out.line(printable(line));
    for (const other of others) out.aside(`temper: ${other} is not planned: only hosts and machines are`);
    if (plans.length === 0) out.aside('temper: there is no BareMetalHost and no machine in it');
    return plans.length === 0 || plans.some(isUnplanned) ? REFUSED : DONE;
  } finally {
    await kube.close();
  }
}

const linesOf = (each: Planned): readonly string[] => ('machine' in each ? machineLines(each) : hostLines(each));

const isUnplanned = (each: Planned): boolean =>
  each.problems.length > 0 || ('machine' in each && each.host !== undefined && each.host.problems.length > 0);

interface Plans {
  readonly plans: readonly Planned[];
  readonly others: readonly string[];
}

async function planned(request: PlanRequest, kube: Kube, now: number): Promise<Plans> {
  const { named, namespace, deleting } = request;
  const reading = createReading(kube);
  if (named === undefined) return ofManifests(await manifestsIn(request.file ?? '-'), request, kube, now);
  const at = { namespace, name: named.name };
  const words = `${at.namespace}/${at.name}`;
  if (named.kind === 'machine') {
    const live = await metal3MachineCalled(reading, at);
    const asked = { reading, kind: KINDS.metal3Machine, machine: words, live, wanted: live, deleting, now };
    return { plans: [await planMachine(asked)], others: [] };
  }
  const live = await kube.find(hostPath(at));
  if (live !== undefined) return { plans: [planFor(words, live, live, deleting, now)], others: [] };
  return { plans: [{ host: words, isNew: true, changes: [], problems: ['it does not exist'] }], others: [] };
}

async function ofManifests(
  manifests: readonly Manifest[],
  { namespace, deleting }: PlanRequest,
  kube: Kube,
  now: number,
): Promise<Plans> {
  const reading = listingOnce(createReading(kube));
  /** A Machine of Cluster API has its host through a Metal3Machine, which may be in the manifest itself. */
  const ofClusterApi = async (machine: Manifest, namespace: string): Promise<Planned | undefined> => {
    const { name = '' } = infrastructure.parse(machine).spec.infrastructureRef;
    const isHere = ({ kind, metadata }: Manifest): boolean =>
      kind === KINDS.metal3Machine.kind && metadata.name === name && (metadata.namespace ?? namespace) === namespace;
    if (name === '' || manifests.some(isHere)) return undefined;
    const live = await kube.find(objectPath(KINDS.metal3Machine, { namespace, name }));
    if (live === undefined) return undefined;
    const asked = { reading, kind: KINDS.metal3Machine, machine: `${namespace}/${name}`, live, wanted: live };
    return planMachine({ ...asked, deleting, now });
  };
  const plans = await Promise.all(
    manifests.map(async (manifest): Promise<Planned | undefined> => {
      const at = { namespace: manifest.metadata.namespace ?? namespace, name: manifest.metadata.name };
      const words = `${at.namespace}/${at.name}`;
      if (manifest.kind === KINDS.host.kind) {
        const live = await kube.find(hostPath(at));
        return planFor(words, live, applied(live, manifest, at.namespace), deleting, now);
      }
      if (isMachineOfClusterApi(manifest)) return ofClusterApi(manifest, at.namespace);
      const kind = MACHINE_KINDS.find(
        ({ apiVersion, kind: ours, apiKind = ours }) =>
          manifest.kind === apiKind && groupOf(manifest.apiVersion) === groupOf(apiVersion),
      );
      if (kind === undefined) return undefined;
      const live = await kube.find(objectPath(kind, at));
      const wanted = applied(live, manifest, at.namespace);
      return planMachine({ reading, kind, machine: words, live, wanted, deleting, now });
    }),
  );
  const others = manifests.filter(({ kind }, index) => plans[index] === undefined && kind !== 'Secret');
  return {
    plans: plans.filter((plan) => plan !== undefined),
    others: others.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
  };
}

const infrastructure = z.object({
  spec: orEmpty(z.object({ infrastructureRef: orEmpty(z.object({ name: maybeText })) })),
});

const groupOf = (apiVersion: string): string => apiVersion.split('/')[0] ?? '';
const isMachineOfClusterApi = ({ apiVersion, kind }: Manifest): boolean =>
  kind === KINDS.machine.kind && groupOf(apiVersion) === groupOf(KINDS.machine.apiVersion);

/** The same lists for all machines of a manifest. */
function listingOnce(reading: Reading): Pick<Reading, 'find' | 'list'> {
  const lists = new Map<string, ReturnType<Reading['list']>>();
  return {
    find: (kind, name) => reading.find(kind, name),
    list(kind, namespace, labelSelector) {
      const key = JSON.stringify([kind.plural, namespace, labelSelector]);
      const list = lists.get(key) ?? reading.list(kind, namespace, labelSelector);
      lists.set(key, list);
      return list;
    },
  };
}

async function manifestsIn(file: string): Promise<readonly Manifest[]> {
  const content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  return parseAllDocuments(content).flatMap((document): readonly Manifest[] => {
    const [problem] = document.errors;
    if (problem !== undefined) throw new Error(`${file} is no YAML: ${problem.message}`);
    const manifest = readManifest(document.toJS());
    return manifest === undefined ? [] : [manifest];
  });
}
