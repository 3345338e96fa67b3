import { afterEach, describe, expect, test } from 'vitest';
import type { RegisterOrder } from '../../../domain/ironic/orders.ts';
import { anOrder } from '../../../test/builders/node.ts';
import { type ScriptedActivities, scriptActivities } from '../../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer, fault } from '../../../test/builders/scripted-ironic.ts';

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

const NODE = '11111111-1111-4111-8111-111111111111';
const OTHER = '33333333-3333-4333-8333-333333333333';
const [BOOT, MAC] = ['52:54:00:00:00:01', '52:54:00:00:00:02'];
const order: RegisterOrder = {
  ...anOrder({ nodeId: NODE }),
  bootMACAddress: BOOT,
  credentialsChanged: false,
  credentialsSeen: null,
  retry: false,
  deleting: false,
};

const ok = (body: unknown): Answer => ({ status: 200, body });
const known = ok(aNodeAnswer());

/** Registers the known node of a host whose hardware has one more MAC address. */
async function register(...answers: readonly Answer[]) {
  open = await scriptActivities(
    [known, ...answers],
    {},
    { readHardware: () => Promise.resolve({ nics: [{ mac: MAC }] }) },
  );
  return open.activities.registerNode(order);
}
const requests = (): readonly string[] | undefined => open?.asked().map(([request]) => request);

describe('a MAC address of the hardware that is not the one to boot from', () => {
  test.each([
    ['with its name', 'metal~other', 'metal~other'],
    ['without a name, which does not become the host’s', null, OTHER],
  ])('and belongs to another node fails the registration with address and node: %s', async (_, name, shown) => {
    const answer = await register(
      ok({ ports: [{ uuid: 'p', address: BOOT }] }),
      { status: 409, body: fault('a port with this address exists') },
      ok({ ports: [{ uuid: 'q', address: MAC, node_uuid: OTHER }] }),
      ok(aNodeAnswer({ uuid: OTHER, name })),
    );
    expect(answer).toMatchObject({
      kind: 'refused',
      message: `MAC address ${MAC} conflicts with existing node ${shown}`,
    });
    expect(requests()?.filter((request) => !request.startsWith('GET'))).toEqual(['POST /v1/ports']);
  });
});

describe('a list of the ports of a node', () => {
  test('that fails counts neither as empty nor as an answer: it is requested again', async () => {
    const failed = register({ status: 500, body: fault('the database is away') });
    await expect(failed).rejects.toMatchObject({ type: 'IronicBroken', nonRetryable: false });
    expect(new Set(requests())).toEqual(new Set([`GET /v1/nodes/${NODE}`, `GET /v1/nodes/${NODE}/ports`]));
  });
});
