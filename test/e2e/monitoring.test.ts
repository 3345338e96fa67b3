import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alerts, metricsOf, panels } from '../../deploy/monitoring/monitored.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import { isInstalled } from '../builders/program.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { hostIn, NAMESPACE } from './support/hosts.ts';
import { aFreeHost } from './support/machines.ts';
import { shareFixtureLab } from './support/place/join.ts';
import { steered } from './support/steering.ts';
import { blockOf, createShell } from './support/versions/procedure.ts';

/** What an administrator watches: the alerts and the dashboard of `deploy/monitoring/`, and certificates. */
const record = recordCommands('test/e2e/monitoring.test.ts');
let lab: TestFixtureLab;
let folder: string;
beforeAll(async () => {
  lab = await shareFixtureLab();
  folder = await mkdtemp(join(tmpdir(), 'temper-monitoring-'));
});
afterAll(async () => {
  await lab?.stop();
  await rm(folder, { recursive: true });
});

const ADDRESSES = ['bridgeMetrics', 'workersMetrics'] as const;

async function servedAt(name: (typeof ADDRESSES)[number]): Promise<string> {
  const answer = await fetch(lab.endpoints[name] ?? '');
  expect(answer.status).toBe(200);
  return answer.text();
}

/** All that bridge and workers serve. */
const served = async (): Promise<string> => (await Promise.all(ADDRESSES.map(servedAt))).join('\n');

test('messages that workflows ignore or refuse are counted, and each metric of an alert or a panel is served', async () => {
  const name = 'monitored';
  await aFreeHost(lab, name);
  await hostIn(lab, name, 'available');
  await withTemporal(lab, ({ workflow }) =>
    workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name })).signal('observed', 'no snapshot'),
  );
  await expect(steered(() => lab, 'BareMetalHost').send(name, 'resume')).rejects.toThrow('Workflow Update failed');
  await expect.poll(served).toMatch(/^temper_messages_ignored_total\{.*message="observed".*\} [1-9]/m);
  await expect.poll(served).toMatch(/^temper_messages_refused_total\{.*message="resume".*\} [1-9]/m);

  const exprs = [
    ...alerts.map(({ expr }) => expr),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
  const now = await served();
  const missing = exprs.flatMap(metricsOf).filter((metric) => !new RegExp(`^# TYPE ${metric} `, 'm').test(now));
  expect([...new Set(missing)]).toEqual([]);
});

/** Not named by us: metrics of Node.js, and the labels that Temporal's SDK adds to metrics of workflows. */
const BY_OTHERS = /^nodejs_|^temper_messages_\w+ label names should be written in 'snake_case'/;

const hasPromtool = await isInstalled('promtool', 'prometheus', 'what is served');

test.skipIf(!hasPromtool).each(ADDRESSES)('%s have the format and the names that promtool asks for', async (name) => {
  const options = { input: await servedAt(name), all: true, reject: false };
  const { all = '' } = await execa('promtool', ['check', 'metrics'], options);
  const words = all.split('\n').filter((line) => line !== '' && !BY_OTHERS.test(line));
  expect(words).toEqual([]);
});

test('the end of the certificate of the webhooks is read as the page on certificates says', async () => {
  const run = record.shell(await createShell(folder, lab.endpoints));
  const command = await blockOf('docs/operations/certificates.md', 'kubectl get secret -n temper-system');
  const [, end = ''] = /^notAfter=(.+)$/m.exec(await run(command, {})) ?? [];
  expect(Date.parse(end)).toBeGreaterThan(Date.now());
});
