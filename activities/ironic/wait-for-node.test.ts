import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WaitOrder } from '../../domain/ironic/orders.ts';
import type { HostData } from '../host-data.ts';
import { createIronicActivities, type IronicActivities } from './activities.ts';
import { createIronicClient } from './client/client.ts';
import { createNodePoller } from './poll/poller.ts';
import { type Answer, aNodeAnswer, scriptIronic } from './scripted/scripted-ironic.ts';
import { DEFAULT_IRONIC_SETTINGS } from './settings.ts';

const NODE = '11111111-1111-4111-8111-111111111111';
const order = (until: WaitOrder['until']): WaitOrder => ({
  host: { namespace: 'metal', name: 'host-1', uid: 'u' },
  nodeId: NODE,
  until,
});
const seen = (node: object): Answer => ({ status: 200, body: { nodes: [aNodeAnswer(node)] } });
const on = { power_state: 'power on' };
const off = { power_state: 'power off' };

let environment: MockActivityEnvironment;
let open: (() => Promise<void> | void)[];
beforeEach(() => {
  environment = new MockActivityEnvironment({ startToCloseTimeoutMs: 60_000, scheduledTimestampMs: Date.now() });
  open = [];
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
  return createIronicActivities({
    ironic: client,
    poller,
    hostData: { secretsOf: () => Promise.resolve([]) } as Pick<HostData, 'secretsOf'> as HostData,
    settings: DEFAULT_IRONIC_SETTINGS,
    log,
  });
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

  describe('that began four hours ago', () => {
    beforeEach(() => {
      const scheduledTimestampMs = Date.now() - 4 * 3_600_000;
      environment = new MockActivityEnvironment({ startToCloseTimeoutMs: 60_000, scheduledTimestampMs, attempt: 2 });
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

  test('ends at once when it is cancelled', async () => {
    const { waitForNode } = await activities('silence');
    const waiting = environment.run(waitForNode, order('rest'));
    environment.cancel();
    await expect(waiting).rejects.toThrow(CancelledFailure);
  });
});
