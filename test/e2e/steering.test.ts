import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { resultsOf } from '../../domain/host/results/results.ts';
import { hostPath } from '../../kube/paths.ts';
import { hostWorkflowId, STEERING_MESSAGES, view } from '../../workflows/messages.ts';
import { atNight } from '../at-night.ts';
import { attributesOf, type CollectedSpan, type Collector, startCollector } from '../builders/collector.ts';
import { codeIn, heldIn } from './support/approvals.ts';
import { keepHistories, pendingOf, withTemporal } from './support/histories.ts';
import {
  createHost,
  editHost,
  getHost,
  type Host,
  hostGone,
  hostIn,
  hostThat,
  kubectl,
  NAMESPACE,
} from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { letFail, machineOf, nodesOf, powerOf } from './support/metal.ts';
import { joinLab } from './support/place/join.ts';
import { addFault, deploysOf, powerAskedOf, recorded } from './support/recorded.ts';
import { seenOff } from './support/watch.ts';

/** What people do to hosts with annotations and messages, on real Ironic, and a trace of one change. */
let lab: TestLab;
let collector: Collector;
beforeAll(async () => {
  collector = await startCollector();
  const OTEL_EXPORTER_OTLP_ENDPOINT = collector.endpoint;
  const temperEnv = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
  lab = await joinLab({ machines: 4, temperEnv });
});
afterAll(async () => {
  await lab?.stop();
  await collector?.close();
});

const REBOOT = 'reboot.metal3.io';
const DETACHED = 'baremetalhost.metal3.io/detached';

/** `key=value` sets an annotation, `key-` removes it. */
const annotate = (name: string, ...changes: readonly string[]): Promise<string> =>
  kubectl(lab, ['annotate', '--overwrite', 'bmh', name, ...changes]);

const events = z.object({ items: z.array(z.object({ type: z.string(), reason: z.string(), message: z.string() })) });
const eventsOf = async (name: string): Promise<z.infer<typeof events>['items']> => {
  const of = `involvedObject.name=${name}`;
  return events.parse(JSON.parse(await kubectl(lab, ['get', 'events', '--field-selector', of, '-o', 'json']))).items;
};
const messagesOf = async (name: string): Promise<readonly string[]> =>
  (await eventsOf(name)).map(({ message }) => message);
const timesTold = async (name: string, message: string): Promise<number> =>
  (await messagesOf(name)).filter((told) => told === message).length;

const viewOf = (name: string) =>
  withTemporal(lab, (client) => client.workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name })).query(view));
const waitingFor = async (name: string): Promise<string> => (await viewOf(name))?.waitingFor ?? '';
/** The operations in the list on the host, with whether they have a start. */
const listedOf = async (name: string): Promise<readonly string[]> =>
  resultsOf((await getHost(lab, name))?.metadata.annotations ?? {}).map(
    ({ what, result, start }) => `${what} ${result}${start === undefined ? '' : ', from its start'}`,
  );

const send = (name: string, message: keyof typeof STEERING_MESSAGES, more: object = {}): Promise<string> =>
  withTemporal(lab, (client) =>
    client.workflow
      .getHandle(hostWorkflowId({ namespace: NAMESPACE, name }))
      .executeUpdate(STEERING_MESSAGES[message].asUpdate, { args: [{ by: 'ada', reason: 'loud', ...more }] }),
  );

const signal = (name: string, message: keyof typeof STEERING_MESSAGES): Promise<void> =>
  withTemporal(lab, (client) =>
    client.workflow
      .getHandle(hostWorkflowId({ namespace: NAMESPACE, name }))
      .signal(STEERING_MESSAGES[message].asSignal, { by: 'ada', reason: 'loud' }),
  );

const isBack = ({ metadata, status }: Host): boolean => status.poweredOn && !(REBOOT in metadata.annotations);

describe('a provisioned host', () => {
  const name = 'host-0';

  test('is rebooted softly, shown to be off meanwhile, and its annotation is taken off', async () => {
    await createHost(lab, 0, { image: lab.endpoints.testImage });
    await hostThat(lab, name, 'on', ({ status }) => status.provisioning.state === 'provisioned' && status.poweredOn);
    await seenOff(lab.kube, name, () => annotate(name, `${REBOOT}=`));
    await hostThat(lab, name, 'on again', isBack);
    expect(await timesTold(name, 'Host soft powered off')).toBe(1);
    expect((await getHost(lab, name))?.status.provisioning.state).toBe('provisioned');
  });

  test('is rebooted hard on request', async () => {
    await seenOff(lab.kube, name, () => annotate(name, `${REBOOT}={"mode":"hard"}`));
    await hostThat(lab, name, 'on again', isBack);
    expect(await timesTold(name, 'Host powered off')).toBe(1);
  });

  test('is kept off by an annotation with a suffix, says by which, and goes on when it is removed', async () => {
    await annotate(name, `${REBOOT}/upgrade=`);
    await hostThat(lab, name, 'off', ({ status }) => !status.poweredOn);
    await expect
      .poll(() => waitingFor(name), { timeout: 60_000 })
      .toBe(`kept off until these annotations are removed: ${REBOOT}/upgrade`);
    expect(await powerOf(lab, 0)).toBe('Off');
    await annotate(name, `${REBOOT}/upgrade-`);
    await hostThat(lab, name, 'on again', ({ status }) => status.poweredOn);
  });

  describe('by messages, of which Ironic gets nothing but the requests that they stand for,', () => {
    let id: string;
    /** The requests for the power of the node since the last call. */
    let count = 0;
    const askedSince = async (): Promise<readonly (string | undefined)[]> => {
      const asked = await powerAskedOf(lab, id);
      const since = asked.slice(count);
      count = asked.length;
      return since;
    };
    beforeAll(async () => {
      id = (await getHost(lab, name))?.status.provisioning.ID ?? '';
      await askedSince();
    });
    const isOff = ({ status }: Host): boolean => !status.poweredOn;
    const isOn = ({ status }: Host): boolean => status.poweredOn;
    const refusal = (message: string) => ({ cause: { message } });

    test('is powered off only when that is approved, and not while it is rejected', async () => {
      await annotate(name, 'temper/approval=power-off');
      await send(name, 'power', { to: 'off' });
      const held = (reason: string): Promise<Host> =>
        hostThat(lab, name, `held: ${reason}`, (host) => heldIn(host)?.reason === reason);
      const code = codeIn(heldIn(await held('ApprovalNeeded'))?.message ?? '');
      await send(name, 'reject', { code });
      await held('Rejected');
      expect(await powerOf(lab, 0)).toBe('On');
      expect(await askedSince()).toEqual([]);
      await send(name, 'approve', { code });
      await hostThat(lab, name, 'off', isOff);
      expect(await powerOf(lab, 0)).toBe('Off');
      expect(await askedSince()).toEqual(['soft power off']);
      await expect(send(name, 'approve', { code })).rejects.toMatchObject(
        refusal(
          `approve ${name}: it waits for no approval (it is provisioned): wait until its condition StepHeld says for which`,
        ),
      );
      await annotate(name, 'temper/approval-');
    });

    test('is powered on, and a trace leads from the bridge to the request in Ironic', async () => {
      await send(name, 'power', { to: 'on' });
      await hostThat(lab, name, 'on', isOn);
      expect(await powerOf(lab, 0)).toBe('On');
      expect(await askedSince()).toEqual(['power on']);
      await expect(send(name, 'power', { to: 'on' })).rejects.toMatchObject(
        refusal(`power ${name}: spec.online is true already: power reboot switches it off and on`),
      );

      const requests = (): readonly CollectedSpan[] =>
        collector.spans.filter((span) => {
          const { 'url.path': path, 'http.request.method': method } = attributesOf(span);
          return method === 'PUT' && path === `/v1/nodes/${id}/states/power`;
        });
      // Each request that reached the proxy has its span.
      await expect.poll(() => requests().length, { timeout: 60_000 }).toBe((await powerAskedOf(lab, id)).length);
      const change = ['SignalWithStartWorkflow:observed', 'HandleSignal:observed', 'RunActivity:setPower', 'PUT'];
      const request = requests().at(-1);
      await expect.poll(() => collector.pathOf(request), { timeout: 60_000 }).toEqual(change);
      // Ironic answers with the id that it gave to the request.
      const ofIronic = [{ stringValue: expect.stringMatching(/^req-/) as unknown }];
      expect(attributesOf(request)).toMatchObject({
        'http.response.status_code': 202,
        'http.response.header.x-openstack-request-id': { values: ofIronic },
      });
    });

    test('is left as it is while it is paused, and goes on when it is resumed', async () => {
      await send(name, 'pause');
      await expect(send(name, 'power', { to: 'off' })).rejects.toMatchObject(
        refusal(`power ${name}: it is paused: resume it first`),
      );
      await editHost(lab, name, { online: false });
      const { metadata } = (await getHost(lab, name)) ?? {};
      await expect.poll(async () => (await viewOf(name))?.generation, { timeout: 60_000 }).toBe(metadata?.generation);
      await expect.poll(() => waitingFor(name)).toBe('paused by the annotation baremetalhost.metal3.io/paused');
      expect(await askedSince()).toEqual([]);
      expect(await powerOf(lab, 0)).toBe('On');
      await send(name, 'resume');
      await hostThat(lab, name, 'off', isOff);
      expect(await powerOf(lab, 0)).toBe('Off');
      expect(await askedSince()).toEqual(['soft power off']);
      await expect(send(name, 'resume')).rejects.toMatchObject(
        refusal(
          `resume ${name}: it is neither paused nor parked by an abort: it goes on by itself when something changes`,
        ),
      );
    });

    test('is rebooted', async () => {
      await send(name, 'power', { to: 'on' });
      await hostThat(lab, name, 'on', isOn);
      await askedSince();
      await seenOff(lab.kube, name, () => send(name, 'power', { to: 'reboot' }));
      await hostThat(lab, name, 'on again', isBack);
      expect(await askedSince()).toEqual(['soft power off', 'power on']);
      expect(await listedOf(name)).toContain('power done, from its start');
    });
  });

  test('is detached, attached again and adopted, and was deployed once', async () => {
    const before = await getHost(lab, name);
    const deploys = await deploysOf(lab);
    await annotate(name, `${DETACHED}=`);
    const out = await hostThat(lab, name, 'detached', ({ status }) => status.operationalStatus === 'detached');
    expect(out.status).toMatchObject({ poweredOn: true, provisioning: before?.status.provisioning });
    expect(await nodesOf(lab)).not.toContain(`${NAMESPACE}~${name}`);
    expect(await powerOf(lab, 0)).toBe('On');

    await annotate(name, `${DETACHED}-`);
    await hostThat(
      lab,
      name,
      'attached',
      ({ status }) =>
        status.operationalStatus === 'OK' && status.provisioning.ID !== (before?.status.provisioning.ID ?? ''),
    );
    await expect.poll(() => waitingFor(name), { timeout: 60_000 }).toBe('provisioned as desired');
    expect(await nodesOf(lab)).toContain(`${NAMESPACE}~${name}`);
    expect(await deploysOf(lab)).toEqual(deploys);
    expect(Object.values(deploys)).toEqual([1]);
    await expect.poll(() => listedOf(name)).toContain('adopt done, from its start');
    expect((await machineOf(lab, 0)).disk).toMatchObject({ image: { digest: lab.endpoints.testImage.checksum } });
  });

  test('is deleted while it is detached and leaves the machine as it is', async () => {
    await annotate(name, `${DETACHED}=moved`);
    await hostThat(lab, name, 'detached', ({ status }) => status.operationalStatus === 'detached');
    const keep = (...finalizers: readonly string[]): Promise<unknown> =>
      lab.kube.patch(hostPath({ namespace: NAMESPACE, name }), { metadata: { finalizers } });
    const before = (await getHost(lab, name))?.metadata.finalizers ?? [];
    await keep(...before, 'example.com/keeps-it');
    await kubectl(lab, ['delete', 'bmh', name, '--wait=false']);
    await hostThat(lab, name, 'let go', ({ metadata }) => metadata.finalizers.length === 1);
    expect(await listedOf(name)).toContain('delete done, from its start');
    await keep();
    await hostGone(lab, name);
    expect(await powerOf(lab, 0)).toBe('On');
    expect((await machineOf(lab, 0)).disk).toMatchObject({ image: { digest: lab.endpoints.testImage.checksum } });
    await keepHistories(lab, 'steering', name);
  });
});

describe('an available host', () => {
  test('is inspected again on request, and the annotation is removed', async () => {
    const name = await createHost(lab, 1);
    const { status } = await hostIn(lab, name, 'available');
    const id = status.provisioning.ID;
    expect((await recorded(lab)).provisions['inspect']?.[id]).toBe(1);
    // In quarantine, which a signal asks for here, it is not inspected before another signal releases it.
    await signal(name, 'quarantine');
    await hostThat(lab, name, 'in quarantine', ({ metadata }) => 'temper/quarantine' in metadata.annotations);
    await annotate(name, 'inspect.metal3.io=');
    await expect.poll(() => waitingFor(name), { timeout: 60_000 }).toMatch(/^in quarantine, by ada: loud; release/);
    expect((await recorded(lab)).provisions['inspect']?.[id]).toBe(1);
    await signal(name, 'release');
    await hostThat(lab, name, 'inspecting', (host) => host.status.provisioning.state === 'inspecting');
    const again = await hostIn(lab, name, 'available');
    expect(again.metadata.annotations).not.toHaveProperty('inspect.metal3.io');
    expect((await recorded(lab)).provisions['inspect']?.[id]).toBe(2);
    await keepHistories(lab, 'inspected-anew', name);
  });
});

describe('a reboot that is forced', () => {
  const FORCED = `${REBOOT}={"force":true}`;
  /** So long that no test waits for it. */
  const HOUR = 3_600_000;
  const inIronic = async (nodeId: string): Promise<string> => {
    const answer = await fetch(`${lab.endpoints.ironicDirect}nodes/${nodeId}?fields=provision_state`, {
      headers: { 'X-OpenStack-Ironic-API-Version': '1.89' },
    });
    return z.object({ provision_state: z.string() }).parse(await answer.json()).provision_state;
  };

  test('starts an inspection again whose agent does not answer', async () => {
    await letFail(lab, 2, { kind: 'slow-boot', milliseconds: HOUR, times: 1 });
    const name = await createHost(lab, 2);
    const { status } = await hostIn(lab, name, 'inspecting');
    await expect.poll(() => inIronic(status.provisioning.ID), { timeout: 60_000 }).toBe('inspect wait');
    await annotate(name, FORCED);
    const host = await hostIn(lab, name, 'available');
    expect(host.metadata.annotations).not.toHaveProperty(REBOOT);
    expect(host.status).toMatchObject({ operationalStatus: 'OK', errorCount: 0 });
    const { provisions } = await recorded(lab);
    expect([provisions['abort'], provisions['inspect']].map((each) => each?.[status.provisioning.ID])).toEqual([1, 2]);
    await keepHistories(lab, 'inspection-forced', name);
  });

  test('starts a deployment again whose agent does not answer', async ({ skip }) => {
    atNight(skip, 'test/e2e/steering.test.ts');
    const name = await createHost(lab, 3);
    const { status } = await hostIn(lab, name, 'available');
    const id = status.provisioning.ID;
    await lab.kube.patch(`/apis/metal3.io/v1alpha1/namespaces/${NAMESPACE}/baremetalhosts/${name}`, {
      spec: { image: lab.endpoints.testImage, automatedCleaningMode: 'disabled' },
    });
    await letFail(lab, 3, { kind: 'slow-boot', milliseconds: HOUR, times: 1 });
    await expect.poll(() => inIronic(id), { timeout: 60_000 }).toBe('wait call-back');
    await annotate(name, FORCED);
    const host = await hostIn(lab, name, 'provisioned');
    expect(host.metadata.annotations).not.toHaveProperty(REBOOT);
    expect(host.status).toMatchObject({ operationalStatus: 'OK', errorCount: 0, provisioningFailCount: 0 });
    expect((await deploysOf(lab))[id]).toBe(2);
    await keepHistories(lab, 'deployment-forced', name);
  });

  test('is not the only way: a message aborts a cleaning and a deployment in Ironic too, and a retry goes on', async ({
    skip,
  }) => {
    atNight(skip, 'test/e2e/steered-hosts.test.ts');
    const name = 'host-3';
    const id = (await hostIn(lab, name, 'provisioned')).status.provisioning.ID;
    const abortedIn = async (waiting: string, failed: string): Promise<void> => {
      await expect.poll(() => inIronic(id), { timeout: 120_000 }).toBe(waiting);
      await send(name, 'abort');
      await expect.poll(() => inIronic(id), { timeout: 60_000 }).toBe(failed);
      await expect
        .poll(() => waitingFor(name), { timeout: 60_000 })
        .toBe('parked by an abort, by ada: loud; resume or retry goes on');
      await send(name, 'retry');
    };
    await letFail(lab, 3, { kind: 'slow-boot', milliseconds: HOUR, times: 1 });
    await editHost(lab, name, { image: null, automatedCleaningMode: 'metadata' });
    await abortedIn('clean wait', 'clean failed');
    expect((await hostIn(lab, name, 'available')).status).toMatchObject({ operationalStatus: 'OK', errorCount: 0 });

    await letFail(lab, 3, { kind: 'slow-boot', milliseconds: HOUR, times: 1 });
    await editHost(lab, name, { image: lab.endpoints.testImage });
    await abortedIn('wait call-back', 'deploy failed');
    expect((await hostIn(lab, name, 'provisioned')).status).toMatchObject({ operationalStatus: 'OK', errorCount: 0 });
    await keepHistories(lab, 'deployment-aborted', name);
  });

  const steer = (message: keyof typeof STEERING_MESSAGES, more: object = {}): Promise<string> =>
    send('host-2', message, more);
  const inspectedAnew = async (): Promise<string> => {
    await letFail(lab, 2, { kind: 'slow-boot', milliseconds: HOUR, times: 1 });
    await steer('reinspect');
    const { status } = await hostIn(lab, 'host-2', 'inspecting');
    await expect.poll(() => inIronic(status.provisioning.ID), { timeout: 60_000 }).toBe('inspect wait');
    return status.provisioning.ID;
  };

  test('aborts an inspection by a message, is parked, and goes on with a retry', async () => {
    const id = await inspectedAnew();
    await steer('abort');
    await expect.poll(() => inIronic(id), { timeout: 60_000 }).toBe('inspect failed');
    await expect
      .poll(() => waitingFor('host-2'), { timeout: 60_000 })
      .toBe('parked by an abort, by ada: loud; resume or retry goes on');
    await steer('retry');
    expect((await hostIn(lab, 'host-2', 'available')).status).toMatchObject({ operationalStatus: 'OK', errorCount: 0 });
    await keepHistories(lab, 'inspection-aborted', 'host-2');
  });

  test('goes at once when its deletion is forced, with its node, although Ironic works on it', async () => {
    const id = await inspectedAnew();
    await annotate('host-2', 'temper/quarantine=loud');
    await kubectl(lab, ['delete', 'bmh', 'host-2', '--wait=false']);
    await steer('forceDelete', { confirm: 'host-2' });
    await hostGone(lab, 'host-2');
    expect(await nodesOf(lab)).not.toContain(`${NAMESPACE}~host-2`);
    expect(await messagesOf('host-2')).not.toContainEqual(expect.stringContaining(id));
  });
});

describe('a host whose Ironic does not answer any more', () => {
  test('goes when its deletion is forced, and a Warning says what may be left behind', async ({ skip }) => {
    atNight(skip, 'test/e2e/steered-hosts.test.ts');
    const name = 'host-1';
    const id = (await hostIn(lab, name, 'available')).status.provisioning.ID;
    // Longer than any test waits, for every request.
    await addFault(lab, { delayMs: 3_600_000, times: 1_000_000 });
    await kubectl(lab, ['delete', 'bmh', name, '--wait=false']);
    await expect
      .poll(async () => (await pendingOf(lab, name)).map(({ type }) => type), { timeout: 60_000 })
      .toContainEqual(expect.stringMatching(/^(waitForNode|setPower|deleteNode)$/));
    await send(name, 'forceDelete', { confirm: name });
    await hostGone(lab, name);
    expect(await eventsOf(name)).toContainEqual({
      type: 'Warning',
      reason: 'NodeLeftBehind',
      message: expect.stringMatching(new RegExp(`^node ${id} may still be in Ironic: .`)) as unknown,
    });
    expect(await nodesOf(lab)).toContain(`${NAMESPACE}~${name}`);
  });
});
