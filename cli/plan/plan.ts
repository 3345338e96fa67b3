import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Kube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { hostPath } from '../../kube/paths.ts';
import { endpointsOf, withKube } from '../access.ts';
import { machineCalled } from '../called-machine.ts';
import { missingSecrets } from '../missing-secrets.ts';
import { DONE, type Out, print, REFUSED } from '../out.ts';
import { createReading } from '../reading.ts';
import { hostLines, planFor } from './host.ts';
import { machineLines, planMachine } from './machine.ts';
import { type ManifestFile, manifestsIn } from './manifest-file.ts';
import { type Planned, type Plans, plansOf } from './manifests.ts';
import type { PlanRequest } from './options.ts';

/** Prints plans. Returns the exit code: REFUSED when something cannot be planned, also after the others are. */
export async function printPlans(request: PlanRequest, out: Out, now: number): Promise<number> {
  return withKube(endpointsOf(request.dir), async (kube) => {
    const { plans, others, unread, malformed = [] } = await planned(request, kube, now);
    print(out, request.output, plans, (all) => all.flatMap(linesOf));
    for (const other of others) out.aside(`temper: ${other} is not planned: only hosts and machines are`);
    for (const why of [...malformed, ...unread]) out.aside(`temper: not looked at: ${why}`);
    if (plans.length === 0) out.aside('temper: there is no BareMetalHost and no machine in it');
    return plans.length === 0 || malformed.length > 0 || plans.some(isUnplanned) ? REFUSED : DONE;
  });
}

const linesOf = (each: Planned): readonly string[] => ('machine' in each ? machineLines(each) : hostLines(each));

const isUnplanned = (each: Planned): boolean =>
  each.problems.length > 0 || ('machine' in each && each.host !== undefined && each.host.problems.length > 0);

async function planned(
  request: PlanRequest,
  kube: Kube,
  now: number,
): Promise<Plans & Partial<Pick<ManifestFile, 'malformed'>>> {
  const { named, namespace, deleting } = request;
  const reading = createReading(kube);
  if (named === undefined) {
    const { manifests, malformed } = manifestsIn(request.file ?? '-', await contentOf(request.file ?? '-'));
    return { ...(await plansOf(manifests, request, kube, now)), malformed };
  }
  const at = { namespace, name: named.name };
  const words = `${at.namespace}/${at.name}`;
  if (named.kind === 'machine') {
    const { kind = KINDS.metal3Machine, object: live } = (await machineCalled(reading, at)) ?? {};
    const plan = await planMachine({ reading, kind, machine: words, live, wanted: live, deleting, now });
    return { plans: [plan], others: [], unread: reading.unread };
  }
  const live = await kube.find(hostPath(at));
  if (live === undefined) {
    const absent = { host: words, isNew: true, changes: [], problems: ['it does not exist'] };
    return { plans: [absent], others: [], unread: [] };
  }
  const missing = (await missingSecrets(reading, live)).map(({ name }) => name);
  const plan = planFor(words, live, live, deleting, now, missing);
  return { plans: [plan], others: [], unread: reading.unread };
}

const contentOf = (file: string): Promise<string> => (file === '-' ? text(process.stdin) : readFile(file, 'utf8'));
