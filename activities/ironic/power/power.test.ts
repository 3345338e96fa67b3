import { afterEach, describe, expect, test } from 'vitest';
import type { PowerOrder } from '../../../domain/ironic/orders.ts';
import { type ScriptedActivities, scriptActivities } from '../../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer, fault } from '../../../test/builders/scripted-ironic.ts';

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

const NODE = '11111111-1111-4111-8111-111111111111';
const anOrder = (order: Partial<PowerOrder> = {}): PowerOrder => ({
  host: { namespace: 'metal', name: 'host-1', uid: 'uid-1' },
  nodeId: NODE,
  on: false,
  mode: 'soft',
  force: false,
  ...order,
});
const running = (more: object = {}): Answer => ({
  status: 200,
  body: aNodeAnswer({ provision_state: 'active', power_state: 'power on', ...more }),
});
const accepted: Answer = { status: 202 };
const unsupported: Answer = { status: 400, body: fault("The driver does not support 'soft power off'") };

async function setPower(order: PowerOrder, ...answers: readonly Answer[]) {
  open = await scriptActivities(answers);
  const answer = await open.activities.setPower(order);
  return { answer, asked: open.asked().slice(1) };
}

const power = (body: object) => [`PUT /v1/nodes/${NODE}/states/power`, body];

describe('a machine', () => {
  test('is given three minutes to shut itself down', async () => {
    const { answer, asked } = await setPower(anOrder(), running(), accepted);
    expect(asked).toEqual([power({ target: 'soft power off', timeout: 180 })]);
    expect(answer).toMatchObject({ kind: 'started', node: { powerPending: true } });
  });

  test('that can not be shut down is switched off', async () => {
    const { answer, asked } = await setPower(anOrder(), running(), unsupported, accepted);
    expect(asked).toEqual([power({ target: 'soft power off', timeout: 180 }), power({ target: 'power off' })]);
    expect(answer).toMatchObject({ kind: 'started' });
  });

  test('is switched off at once by a hard power off', async () => {
    const { asked } = await setPower(anOrder({ mode: 'hard' }), running(), accepted);
    expect(asked).toEqual([power({ target: 'power off' })]);
  });

  test('that Ironic refuses to switch off fails with its message', async () => {
    const refusal: Answer = { status: 400, body: fault('there is no such switch') };
    const { answer } = await setPower(anOrder({ mode: 'hard' }), running(), refusal);
    expect(answer).toMatchObject({ kind: 'failed', message: 'there is no such switch' });
  });

  test('that is being inspected is taken out of it first', async () => {
    open = await scriptActivities([running({ provision_state: 'inspect wait' }), accepted]);
    await expect(open.activities.setPower(anOrder())).rejects.toMatchObject({ type: 'IronicBusy' });
    expect(open.asked().slice(1)).toEqual([[`PUT /v1/nodes/${NODE}/states/provision`, { target: 'abort' }]]);
  });
});
