import { afterEach, describe, expect, test } from 'vitest';
import type { ProvisionOrder } from '../../../domain/ironic/orders.ts';
import { anOrder } from '../../../test/builders/node.ts';
import { type ScriptedActivities, scriptActivities } from '../../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer, fault } from '../../../test/builders/scripted-ironic.ts';

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

const NODE = '11111111-1111-4111-8111-111111111111';
const image = { url: 'http://images/a.raw', checksum: 'abc' };
const ok = (body: unknown): Answer => ({ status: 200, body });
const accepted: Answer = { status: 202 };

async function deploy(order: Partial<ProvisionOrder>, ...answers: readonly Answer[]) {
  open = await scriptActivities(answers);
  const answer = await open.activities.deployNode({ ...anOrder({ nodeId: NODE }), retry: false, ...order });
  return { answer, asked: open.asked().map(([request]) => request) };
}

describe('a node is validated', () => {
  const available = ok(aNodeAnswer({ provision_state: 'available' }));
  const begun = [`GET /v1/nodes/${NODE}`, `PATCH /v1/nodes/${NODE}`, `PUT /v1/nodes/${NODE}/states/provision`];

  test('not before its deployment, and not when Ironic begins that', async () => {
    const { answer, asked } = await deploy({ image }, available, available, accepted);
    expect(answer).toMatchObject({ kind: 'started' });
    expect(asked).toEqual(begun);
  });

  test('when Ironic refuses its deployment, and the reasons are those of the interfaces', async () => {
    const problems = ok({
      boot: { result: false, reason: 'no deploy_kernel' },
      deploy: { result: false, reason: 'no image_source' },
      power: { result: false, reason: 'no power' },
    });
    const refused = { status: 400, body: fault('Failed to validate deploy') };
    const { answer, asked } = await deploy({ image }, available, available, refused, available, problems);
    expect(answer).toMatchObject({
      kind: 'failed',
      message: 'host validation error: no deploy_kernel; no image_source',
    });
    expect(asked).toEqual([...begun, `GET /v1/nodes/${NODE}`, `GET /v1/nodes/${NODE}/validate`]);
  });
});

test('a custom step without an image that failed is a failure, and is not requested again', async () => {
  const last_error = 'install_coreos: no disk';
  const failed = ok(aNodeAnswer({ provision_state: 'deploy failed', instance_uuid: 'uid-1', last_error }));
  const { answer, asked } = await deploy({ customDeployMethod: 'install_coreos' }, failed);
  expect(answer).toMatchObject({ kind: 'failed', message: last_error });
  expect(asked).toEqual([`GET /v1/nodes/${NODE}`]);
});
