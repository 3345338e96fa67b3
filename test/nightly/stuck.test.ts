import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { machineId } from '../../activities/fixture/store.ts';
import { STUCK } from '../../domain/usual-times/stuck.ts';
import { learned, type UsualTimes } from '../../domain/usual-times/usual-times.ts';
import { USUAL_TIMES, usualTimesData } from '../../kube/objects/usual-times.ts';
import { collectionPath, configMapPath } from '../../kube/paths.ts';
import { HOME } from '../../lab/rights.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import { aFixtureLab, fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from '../e2e/support/fixture.ts';
import { withTemporal } from '../e2e/support/histories.ts';
import { apply, editHost, getHost, hostIn, NAMESPACE, secret } from '../e2e/support/hosts.ts';
import { QUICK_FIXTURE } from '../e2e/support/place/quick-fixture.ts';
import { causesOf } from '../e2e/support/reader.ts';
import { documentedViews } from '../e2e/support/web-ui.ts';

/** Hosts that are stuck on a lab with a bridge and workers. The lowest limit is five minutes. */
const MODEL = 'unknown, redfish+http';
const SECOND_MS = 1_000;

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await aFixtureLab({ temperEnv: QUICK_FIXTURE });
  const times = Array.from({ length: 40 }).reduce<UsualTimes>(
    (known) => learned(known, MODEL, { state: 'provisioning', ms: SECOND_MS }, Date.now()),
    {},
  );
  const metadata = { namespace: HOME, name: USUAL_TIMES };
  await apply(lab, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: usualTimesData(times) });
  // A bridge reads the times when it starts.
  await lab.kill('bridge', 'SIGKILL');
  await lab.start('bridge');
});
afterAll(() => lab?.stop());

const conditions = z.array(z.object({ type: z.string(), status: z.string(), reason: z.string(), message: z.string() }));
/** The condition, as a list that is empty without it. */
const stuckOf = async (name: string): Promise<unknown> =>
  conditions
    .parse((await getHost(lab, name))?.status['conditions'] ?? [])
    .filter(({ type }) => type === STUCK)
    .map(({ status, reason, message }) => ({ status, reason, message }));

const events = z.object({
  items: z.array(
    z.object({
      type: z.string(),
      reason: z.string(),
      message: z.string(),
      involvedObject: z.object({ name: z.string().optional() }),
    }),
  ),
});
async function alarmsOf(host: string): Promise<unknown> {
  const path = collectionPath({ apiVersion: 'v1', plural: 'events' }, NAMESPACE);
  const { items } = events.parse(await lab.kube.request({ path }));
  return items
    .filter(({ reason, involvedObject }) => reason === 'HostStuck' && involvedObject.name === host)
    .map(({ type, message }) => ({ type, message }));
}

/** The hosts that the metric counts, by state and cause. */
async function counted(): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(lab.endpoints.bridgeMetrics ?? '')).text();
  const lines = [...text.matchAll(/^temper_stuck_hosts\{state="([^"]+)",cause="([^"]+)"\} (\d+)$/gm)];
  return Object.fromEntries(
    lines.flatMap(([, state, cause, count]) => (count === '0' ? [] : [[`${state}: ${cause}`, Number(count)]])),
  );
}

/** The runs in the view *stuck* of docs/web-ui.md. */
async function listed(): Promise<readonly string[]> {
  const query = (await documentedViews()).find(({ name }) => name === 'stuck')?.query;
  if (query === undefined) throw new Error('docs/web-ui.md has no view "stuck"');
  return withTemporal(lab, async (client) => {
    const ids: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
    return ids.toSorted();
  });
}
const idOf = (name: string): string => hostWorkflowId({ namespace: NAMESPACE, name });

/** The first cause that `temper explain` names to somebody who may read the measured times. */
const causeOf = async (name: string): Promise<string | undefined> =>
  (await causesOf({ kube: lab.kube, kubeconfig: lab.endpoints.kubeconfig }, 'host', name))[0];

const machine = z.object({ metadata: z.looseObject({}), data: z.record(z.string(), z.string()) });

/** Freezes the fixture machine of the host, so that its operation never ends; returns what thaws it. */
async function freeze(name: string): Promise<() => Promise<unknown>> {
  const uid = (await getHost(lab, name))?.metadata.uid ?? '';
  const path = configMapPath({ namespace: NAMESPACE, name: machineId({ namespace: NAMESPACE, name, uid }) });
  await lab.kube.patch(path, { immutable: true });
  return async () => {
    const { metadata, data } = machine.parse(await lab.kube.find(path));
    const { name: id, namespace, labels, ownerReferences } = metadata;
    await lab.kube.request({ method: 'DELETE', path });
    const body = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: id, namespace, labels, ownerReferences },
      data,
    };
    return lab.kube.request({ method: 'POST', path: configMapPath({ namespace: NAMESPACE }), body });
  };
}

const said = (cause: string): unknown =>
  expect.stringMatching(
    new RegExp(
      `^The host is provisioning since \\S+Z\\. That usually takes at most \\d+s \\(measured 4\\d times on hardware 'unknown, redfish\\+http'\\), and is an alarm after 5m0s\\. ${cause}`,
    ),
  );

test('a host that hangs, and one whose user data is missing, are shown as stuck until they go on', async () => {
  for (const name of ['hung', 'without-data']) await apply(lab, fixtureSecret(name), fixtureHost(name));
  for (const name of ['hung', 'without-data']) await hostIn(lab, name, 'available');
  const thaw = await freeze('hung');
  await editHost(lab, 'hung', { image: IMAGE });
  await editHost(lab, 'without-data', { image: IMAGE, userData: { name: 'late-data' } });

  const longer = said('The host is in its state for longer than usual');
  const missing = said('A Secret with data of the deployment does not exist');
  await expect.poll(() => stuckOf('hung')).toEqual([{ status: 'True', reason: 'LongerThanUsual', message: longer }]);
  await expect
    .poll(() => stuckOf('without-data'))
    .toEqual([{ status: 'True', reason: 'DataSecretMissing', message: missing }]);
  await expect.poll(counted).toEqual({ 'provisioning: longer-than-usual': 1, 'provisioning: data-secret-missing': 1 });
  await expect.poll(listed).toEqual([idOf('hung'), idOf('without-data')]);
  expect(await alarmsOf('hung')).toEqual([{ type: 'Warning', message: longer }]);
  expect(await alarmsOf('without-data')).toEqual([{ type: 'Warning', message: missing }]);
  expect(await Promise.all(['hung', 'without-data'].map(causeOf))).toEqual([
    'longer-than-usual',
    'data-secret-missing',
  ]);

  await apply(lab, secret('late-data', { value: '#cloud-config' }));
  await hostIn(lab, 'without-data', 'provisioned');
  expect(await stuckOf('without-data')).toEqual([]);
  await expect.poll(counted).toEqual({ 'provisioning: longer-than-usual': 1 });
  await expect.poll(listed).toEqual([idOf('hung')]);

  await thaw();
  await hostIn(lab, 'hung', 'provisioned');
  expect(await stuckOf('hung')).toEqual([]);
  await expect.poll(counted).toEqual({});
  await expect.poll(listed).toEqual([]);
});
