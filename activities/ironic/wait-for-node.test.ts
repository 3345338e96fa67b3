import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IronicNode } from '../../domain/ironic/node/node.ts';
import type { WaitOrder } from '../../domain/ironic/orders.ts';
import { aNode } from '../../test/builders/host.ts';
import { asActivities } from '../../test/builders/permits.ts';
import { type Answer, aNodeAnswer, scriptIronic } from '../../test/builders/scripted-ironic.ts';
import type { HostData } from '../host-data.ts';
import { createIronicOperations, type IronicActivities } from './activities.ts';
import { createIronicClient } from './client/client.ts';
import { createNodePoller } from './poll/poller.ts';
import { DEFAULT_IRONIC_SETTINGS } from './settings.ts';
import { waitForNode } from './wait-for-node.ts';

const NODE = '11111111-1111-4111-8111-111111111111';
const order = (until: WaitOrder['until']): WaitOrder => ({
  host: { namespace: 'metal', name: 'host-1', uid: 'u' },
  nodeId: NODE,
  until,
});
const seen = (node: object): Answer => ({ status: 200, body: { nodes: [aNodeAnswer(node)] } });
const BUSY = aNode({ state: 'deploying' });
const DAY_MS = 86_400_000;
const on = { power_state: 'power on' };
const off = { power_state: 'power off' };

let environment: MockActivityEnvironment;
let open: (() => Promise<void> | void)[];
/** What workflows were told of outages. */
let told: [string, unknown][];
beforeEach(() => {
  environment = new MockActivityEnvironment({
    startToCloseTimeoutMs: 60_000,
    scheduledTimestampMs: Date.now(),
    workflowExecution: { workflowId: 'baremetalhost/metal/host-1/provision/3', runId: 'r' },
  });
  open = [];
  told = [];
});
afterEach(async () => {
  for (const close of open.toReversed()) await close();
});

async function activities(...answers: readonly Answer[]): Promise<IronicActivities> {
  const ironic = await scriptIronic(...answers);
  const client = await createIronicClient({ endpoint: ironic.endpoint, pausesMs: [] });
  const log = { info: () => {}, warn: () => {} };
  const poller = createNodePoller({ listNodes: (signal) => client.listNodes(signal), intervalMs: 1, log });
  open.push(
    () => ironic.close(),
    () => client.close(),
    () => poller.close(),
  );
  return asActivities(
    createIronicOperations({
      ironic: client,
      poller,
      hostData: { secretsOf: () => Promise.resolve([]) } as Pick<HostData, 'secretsOf'> as HostData,
      settings: DEFAULT_IRONIC_SETTINGS,
      log,
      tell: (workflowId, failing) => {
        told.push([workflowId, failing === null ? null : { ...failing, since: 'then' }]);
        return Promise.resolve();
      },
    }),
  );
}

describe('waiting for a node', () => {
  test.each<[string, WaitOrder['until'], readonly Answer[], unknown]>([
    [
      'to rest outlasts every state that Ironic leaves by itself',
      'rest',
      [
        seen({ provision_state: 'deploying' }),
        seen({ provision_state: 'wait call-back' }),
        seen({ provision_state: 'active' }),
      ],
      { state: 'active' },
    ],
    [
      'of another host, whose id somebody wrote into a status, is over: the node is unknown to this one',
      'rest',
      [seen({ name: 'other~host-1', provision_state: 'deploying' })],
      null,
    ],
    [
      'to rest outlasts the moment in which it has failed and Ironic has not written why',
      'rest',
      [
        seen({ provision_state: 'clean wait' }),
        seen({ provision_state: 'clean failed', reservation: 'lab' }),
        seen({
          provision_state: 'clean failed',
          last_error: 'Timeout reached while cleaning the node',
          reservation: null,
        }),
      ],
      { state: 'clean failed', lastError: 'Timeout reached while cleaning the node' },
    ],
    [
      'to rest ends when Ironic has let go of it without a reason',
      'rest',
      [seen({ provision_state: 'clean failed', reservation: null })],
      { state: 'clean failed', lastError: null },
    ],
    ['to rest ends when Ironic does not know it', 'rest', [{ status: 200, body: { nodes: [] } }], null],
    [
      'to be on outlasts a pending change',
      'on',
      [...Array.from({ length: 5 }, () => seen({ ...off, target_power_state: 'power on' })), seen(on)],
      { poweredOn: true },
    ],
    [
      'to be off ends with the error that keeps it on',
      'off',
      [seen({ ...on, target_power_state: 'power off' }), seen({ ...on, last_error: 'no route to BMC' })],
      { poweredOn: true, lastError: 'no route to BMC' },
    ],
    ['to be off ends when nothing leads there any more', 'off', [seen(on)], { poweredOn: true, lastError: null }],
  ])('%s', async (_, until, answers, expected) => {
    const { waitForNode } = await activities(...answers);
    const found: unknown = await environment.run(waitForNode, order(until));
    expect({ found }).toMatchObject({ found: expected });
  });

  test.each([
    ['next year', 365 * DAY_MS],
    ['last year', -365 * DAY_MS],
  ])('that began %s by Temporal’s clock has its time from now on', async (_when, aheadMs) => {
    const limits: boolean[] = [];
    for (const stepDeadlineMs of [60_000, -1]) {
      const waitFor = async (_: unknown, ends: (node: IronicNode) => boolean) => {
        limits.push(ends({ ...BUSY }));
        return { ...BUSY };
      };
      const { signal } = new AbortController();
      const call = { attempt: 1, askedAt: Date.now() + aheadMs, waitedMs: 0, signal, workflowId: 'w', show: () => {} };
      const tools = {
        poller: { waitFor },
        call,
        settings: { ...DEFAULT_IRONIC_SETTINGS, stepDeadlineMs },
        tell: () => {},
      };
      await waitForNode(tools as never, order('rest')).catch(() => undefined);
    }
    expect(limits).toEqual([false, true]);
  });

  test('shows what Ironic does with the node', async () => {
    const ironic = await scriptIronic(
      seen({ provision_state: 'deploying', deploy_step: { interface: 'deploy', step: 'write_image', args: {} } }),
      seen({ provision_state: 'cleaning', deploy_step: {}, clean_step: { interface: 'raid', step: 'create' } }),
      seen({ provision_state: 'active', deploy_step: {}, clean_step: null }),
    );
    const client = await createIronicClient({ endpoint: ironic.endpoint, pausesMs: [] });
    const log = { info: () => {}, warn: () => {} };
    const poller = createNodePoller({ listNodes: (signal) => client.listNodes(signal), intervalMs: 1, log });
    open.push(
      () => ironic.close(),
      () => client.close(),
      () => poller.close(),
    );
    const shown: unknown[] = [];
    const { signal } = new AbortController();
    const show = (progress: unknown): void => void shown.push(progress);
    const call = { attempt: 1, askedAt: Date.now(), waitedMs: 0, signal, workflowId: 'w', show };
    const tell = () => Promise.resolve();
    await waitForNode({ poller, call, settings: DEFAULT_IRONIC_SETTINGS, tell }, order('rest'));
    expect(shown).toEqual([
      { state: 'deploying', step: 'deploy.write_image' },
      { state: 'cleaning', step: 'raid.create' },
      { state: 'active' },
    ]);
  });

  describe('that began four hours ago', () => {
    beforeEach(() => {
      const now = Date.now();
      environment = new MockActivityEnvironment({
        startToCloseTimeoutMs: 60_000,
        scheduledTimestampMs: now - 4 * 3_600_000,
        currentAttemptScheduledTimestampMs: now,
        attempt: 2,
      });
    });

    test('ends with the node, for which Ironic has finished meanwhile', async () => {
      const { waitForNode } = await activities(seen({ provision_state: 'active' }));
      expect(await environment.run(waitForNode, order('rest'))).toMatchObject({ state: 'active' });
    });

    test('goes on while Ironic does not answer', async () => {
      const { waitForNode } = await activities('cut', 'cut', seen({ provision_state: 'active' }));
      expect(await environment.run(waitForNode, order('rest'))).toMatchObject({ state: 'active' });
    });

    test('fails for good when Ironic says that it is still busy', async () => {
      const { waitForNode } = await activities(seen({ provision_state: 'deploying' }));
      await expect(environment.run(waitForNode, order('rest'))).rejects.toMatchObject({
        nonRetryable: true,
        message: "Ironic is still busy after 180 minutes: the node is in state 'deploying'",
      });
    });
  });

  test('tells the workflow of the host that Ironic does not answer, and when it answers again', async () => {
    const { waitForNode } = await activities('cut', 'cut', 'cut', seen({ provision_state: 'active' }));
    await environment.run(waitForNode, order('rest'));
    expect(told).toEqual([
      [
        'baremetalhost/metal/host-1',
        {
          what: 'list the nodes of Ironic',
          since: 'then',
          attempts: 2,
          answer: expect.stringContaining('no answer from Ironic') as unknown,
        },
      ],
      ['baremetalhost/metal/host-1', null],
    ]);
  });

  test('tells the workflow with the first list that Ironic answers again, if an earlier attempt said that it does not', async () => {
    environment = new MockActivityEnvironment({
      attempt: 2,
      startToCloseTimeoutMs: 60_000,
      scheduledTimestampMs: Date.now(),
      workflowExecution: { workflowId: 'baremetalhost/metal/host-1/provision/3', runId: 'r' },
    });
    const { waitForNode } = await activities(
      seen({ provision_state: 'deploying' }),
      seen({ provision_state: 'active' }),
    );
    await environment.run(waitForNode, order('rest'));
    expect(told).toEqual([['baremetalhost/metal/host-1', null]]);
  });

  test('tells nothing of a single list that fails', async () => {
    const { waitForNode } = await activities('cut', seen({ provision_state: 'active' }));
    await environment.run(waitForNode, order('rest'));
    expect(told).toEqual([]);
  });

  test('ends at once when it is cancelled', async () => {
    const { waitForNode } = await activities('silence');
    const waiting = environment.run(waitForNode, order('rest'));
    environment.cancel();
    await expect(waiting).rejects.toThrow(CancelledFailure);
  });
});
