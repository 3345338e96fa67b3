import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hostWorkflowId } from '../../workflows/messages.ts';
import { keepHistories, pendingOf, withTemporal } from './support/histories.ts';
import { createHost, editHost, getHost, hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
import { aLab, type TestLab } from './support/lab.ts';
import { skipAdmission } from './support/place/admission.ts';
import { deploysOf, forgetRecorded } from './support/recorded.ts';
import { watchSights } from './support/watch.ts';

/**
 * Processes that are killed while hosts are deploying return, and no host is deployed twice: three hosts, at night six.
 */
const HOSTS = Number(process.env['TEMPER_RESTARTED_HOSTS'] ?? 3);
let lab: TestLab;
let names: readonly string[];

beforeAll(async () => {
  lab = await aLab({ machines: HOSTS });
  names = await Promise.all(Array.from({ length: HOSTS }, (_, index) => createHost(lab, index)));
  await Promise.all(names.map((name) => hostIn(lab, name, 'available')));
});
afterAll(() => lab?.stop());

/** Waits until all hosts are deploying and some are being written to. */
async function deploying(): Promise<void> {
  await forgetRecorded(lab);
  await Promise.all(names.map((name) => editHost(lab, name, { image: lab.endpoints.testImage })));
  await until('a deployment is under way', async () => Object.values(await deploysOf(lab)).some((count) => count > 0));
}

async function allProvisionedOnce(): Promise<void> {
  const hosts = await Promise.all(names.map((name) => hostIn(lab, name, 'provisioned')));
  const deploys = await deploysOf(lab);
  expect(hosts.map(({ status }) => deploys[status.provisioning.ID])).toEqual(names.map(() => 1));
}

async function takenDown(): Promise<void> {
  await Promise.all(names.map((name) => editHost(lab, name, { image: null })));
  await Promise.all(names.map((name) => hostIn(lab, name, 'available')));
}

describe('every host is provisioned by one deployment', () => {
  test('when bridge and workers are killed', async () => {
    await deploying();
    await Promise.all([lab.kill('bridge', 'SIGKILL'), lab.kill('workers', 'SIGKILL')]);
    await Promise.all([lab.start('bridge'), lab.start('workers')]);
    await allProvisionedOnce();
    await keepHistories(lab, 'workers-killed', names[0] ?? '');
    await takenDown();
  });

  test('when Temporal is killed', async () => {
    await deploying();
    await lab.kill('temporal', 'SIGKILL');
    await lab.start('temporal');
    await allProvisionedOnce();
    await takenDown();
  });

  test('when the API server is killed', async () => {
    await deploying();
    await lab.kill('kube-apiserver', 'SIGKILL');
    await lab.start('kube-apiserver');
    await allProvisionedOnce();
  });
});

describe('a change made while a part is down', () => {
  test('is refused without a bridge that validates it, and acted upon once the bridge is back when it was accepted', async () => {
    const [name = ''] = names;
    await lab.kill('bridge', 'SIGKILL');
    await expect(editHost(lab, name, { online: false })).rejects.toThrow('failed calling webhook');
    // As if another replica answered.
    await skipAdmission(lab.kube, NAMESPACE);
    await vi.waitFor(() => editHost(lab, name, { online: false }), { timeout: 60_000 });
    await lab.start('bridge');
    await hostThat(lab, name, 'off', ({ status }) => !status.poweredOn);
  });

  test('is acted upon once Temporal is back', async () => {
    const [name = ''] = names;
    await lab.kill('temporal', 'SIGKILL');
    await editHost(lab, name, { online: true });
    await lab.start('temporal');
    await hostThat(lab, name, 'on', ({ status }) => status.poweredOn);
  });

  test('takes effect once Ironic is back, which gets requests with growing pauses and is no error of the host', async () => {
    const [name = ''] = names;
    const sights = watchSights(lab.kube);
    await lab.kill('ironic', 'SIGKILL');
    await editHost(lab, name, { online: false });
    let pauses: readonly number[];
    try {
      pauses = await pausesOfThreeTries(name);
    } finally {
      await lab.start('ironic');
    }
    expect(pauses.every((pauseMs, index) => index === 0 || pauseMs > (pauses[index - 1] ?? 0))).toBe(true);
    await hostThat(lab, name, 'off', ({ status }) => !status.poweredOn);
    sights.close();
    expect(sights.of(name).filter(({ errorType }) => errorType !== '')).toEqual([]);
    await editHost(lab, name, { online: true });
    await hostThat(lab, name, 'on', ({ status }) => status.poweredOn);
  });

  test('is acted upon by a run whose cancellation was requested', async () => {
    const [name = ''] = names;
    await withTemporal(lab, (client) =>
      client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name })).cancel(),
    );
    await editHost(lab, name, { online: false });
    await hostThat(lab, name, 'off', ({ status }) => !status.poweredOn);
  });

  test('is not lost when it is a deletion', async () => {
    const [name = ''] = names;
    await lab.kill('bridge', 'SIGKILL');
    await kubectl(lab, ['delete', 'bmh', name, '--wait=false']);
    await lab.start('bridge');
    await until('the host is gone', async () => (await getHost(lab, name)) === undefined);
  });
});

/** The pauses between three attempts to change the power, in ms. */
async function pausesOfThreeTries(name: string): Promise<readonly number[]> {
  const pauses = new Map<number, number>();
  await until('it was tried again and again', async () => {
    for (const { type, attempt, pauseMs } of await pendingOf(lab, name)) {
      if (type === 'setPower' && pauseMs !== undefined) pauses.set(attempt, pauseMs);
    }
    return pauses.size >= 3;
  });
  return [...pauses].toSorted(([one], [other]) => one - other).map(([, pauseMs]) => pauseMs);
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 600_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`it never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
