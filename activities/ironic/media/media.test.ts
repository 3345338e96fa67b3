import { afterEach, describe, expect, test } from 'vitest';
import type { MediaOrder } from '../../../domain/ironic/orders.ts';
import { sealUrl } from '../../../kube/objects/sealed-urls.ts';
import { type ScriptedActivities, scriptActivities } from '../../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer, fault } from '../../../test/builders/scripted-ironic.ts';
import { HostDataError } from '../../host-data.ts';

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

const NODE = '11111111-1111-4111-8111-111111111111';
const ORDER: MediaOrder = {
  host: { namespace: 'metal', name: 'host-1', uid: 'uid-1' },
  nodeId: NODE,
  desired: 'http://images/data.iso',
  attached: '',
  requested: null,
};
const found = (more: object = {}): Answer => ({
  status: 200,
  body: aNodeAnswer({ provision_state: 'active', ...more }),
});
const empty: Answer = { status: 200, body: [{ inserted: false }] };

async function scripted(...answers: readonly Answer[]): Promise<ScriptedActivities> {
  open = await scriptActivities(answers);
  return open;
}

describe('a virtual drive', () => {
  test('that an old Ironic can not look into fails and says which version it takes', async () => {
    const { ironic, activities, ...scene } = await scripted(found(), empty);
    ironic.newest = '1.92';
    expect(await activities.changeMedia(ORDER)).toEqual({
      kind: 'failed',
      message: "ironic version=1.89 doesn't support Virtual Media Get API, needs version>=1.93",
    });
    expect(scene.asked()).toEqual([]);
  });

  test('of a node that is locked is waited for, which is no failure', async () => {
    const { activities, ...scene } = await scripted(found({ reservation: 'conductor-1' }));
    await expect(activities.changeMedia(ORDER)).rejects.toMatchObject({ type: 'IronicBusy', nonRetryable: false });
    expect(scene.asked().map(([request]) => request)).toEqual([`GET /v1/nodes/${NODE}`]);
  });

  test('that does not take the image fails with the message of Ironic', async () => {
    const { activities } = await scripted(found(), empty, { status: 400, body: fault('there is no drive') });
    expect(await activities.changeMedia(ORDER)).toEqual({ kind: 'failed', message: 'there is no drive' });
  });

  test('that is only read, and holds what nobody has told, says so', async () => {
    const holding: Answer = { status: 200, body: [{ inserted: true }] };
    const { activities } = await scripted(found(), holding, found(), holding, found(), empty);
    const read = { ...ORDER, desired: null };
    expect(await activities.changeMedia(read)).toEqual({ kind: 'done', attached: '', holdsUnknown: true });
    const attached = 'http://images/data.iso';
    expect(await activities.changeMedia({ ...read, attached })).toEqual({ kind: 'done', attached });
    expect(await activities.changeMedia(read)).toEqual({ kind: 'done', attached: '' });
  });

  test('is told of a URL that was replaced meanwhile: without an end, the order would be repeated', async () => {
    const message = 'BareMetalHost metal/host-1 has another image meanwhile';
    const openedUrl = () => Promise.reject(new HostDataError(message));
    open = await scriptActivities([found(), empty], {}, { openedUrl });
    expect(await open.activities.changeMedia(ORDER)).toEqual({ kind: 'failed', message });
  });

  test('gets the URL with the secrets in it, which is in no answer', async () => {
    const url = 'https://me:canary@images/data.iso?sig=canary';
    const refusal = { status: 400, body: fault(`there is no ${url}`) };
    open = await scriptActivities(
      [found(), empty, { status: 204 }, found(), empty, refusal],
      {},
      {
        openedUrl: (_, sealed) => Promise.resolve(sealed === sealUrl('uid-1', url) ? url : sealed),
      },
    );
    const order = { ...ORDER, desired: sealUrl('uid-1', url) };
    expect(await open.activities.changeMedia(order)).toEqual({ kind: 'started', requested: 'attach' });
    expect(open.asked()[2]?.[1]).toMatchObject({ image_url: url });
    const message = 'there is no https://***@images/data.iso?***';
    expect(await open.activities.changeMedia(order)).toEqual({ kind: 'failed', message });
  });
});
