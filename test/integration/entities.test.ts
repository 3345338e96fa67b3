import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entityWorkflowId, view } from '../../workflows/messages.ts';
import { sharedControlPlane } from './control-plane.ts';
import { openScene } from './entities/scene.ts';

const A_TIME: unknown = expect.any(String);
const A_NUMBER: unknown = expect.any(Number);

let scene: Awaited<ReturnType<typeof openScene>>;

beforeAll(async () => {
  scene = await openScene(sharedControlPlane());
});
afterAll(() => scene.end());

const widget = (name: string, colour: string, metadata: object = {}) =>
  scene.create(scene.kinds.widgets, name, { metadata, spec: { colour, palette: 'warm' } });
const isAlive = async (name: string): Promise<boolean> => {
  const id = entityWorkflowId('Widget', { namespace: scene.namespace, name });
  const found = await scene.client.workflow
    .getHandle(id)
    .describe()
    .catch(() => undefined);
  return found?.status.name === 'RUNNING';
};
/** Waits until the widget shows this. */
const expectToShow = (name: string, what: object) => expect.poll(() => scene.read(name)).toMatchObject(what);

describe('an object of a kind with a workflow', () => {
  test('is signalled as soon as its kind is installed, and waits for what it depends on', async () => {
    await scene.install();
    await expect
      .poll(() =>
        widget('first', 'red').then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);

    await expectToShow('first', {
      metadata: { finalizers: ['widget.example.temper'], annotations: { 'example.temper/was': 'red' } },
      status: { painted: '', lastUpdated: A_TIME, conditions: [{ type: 'Ready', status: 'False' }] },
    });
    const handle = scene.client.workflow.getHandle(
      entityWorkflowId('Widget', { namespace: scene.namespace, name: 'first' }),
    );
    await expect.poll(() => handle.query(view)).toMatchObject({ waitingFor: 'no palette has red' });

    await scene.create(scene.kinds.palettes, 'warm', { colours: ['red', 'orange', 'octarine', 'glaze', 'varnish'] });

    await expectToShow('first', {
      spec: { colour: 'red', palette: 'warm', filledIn: 'red' },
      status: {
        painted: 'red',
        conditions: [{ type: 'Ready', status: 'True', observedGeneration: A_NUMBER }],
        deprecated: { v1beta1: { conditions: [{ type: 'Ready', status: 'True' }] } },
      },
    });
    expect(scene.done).toEqual(['paint red']);
  });

  test("shows its workflow's view again when another client wrote its status or removed its finalizer", async () => {
    await scene.kube.patch(`${scene.path('first')}/status`, { status: { painted: 'by hand' } });
    await expectToShow('first', { status: { painted: 'red' } });

    await scene.kube.patch(scene.path('first'), { metadata: { finalizers: null } });
    await expectToShow('first', { metadata: { finalizers: ['widget.example.temper'] } });
  });

  test('shows why an action failed, and tries again when it changes', async () => {
    await widget('second', 'octarine');
    await expectToShow('second', {
      status: { conditions: [{ reason: 'Failed', message: 'nobody can paint octarine' }] },
    });

    await scene.kube.patch(scene.path('second'), { spec: { colour: 'orange' } });

    await expectToShow('second', { status: { painted: 'orange' } });
  });

  test('cancels its action when that is no longer wanted', async () => {
    await widget('third', 'glaze');
    await expectToShow('third', { metadata: { finalizers: ['widget.example.temper'] } });

    await scene.kube.patch(scene.path('third'), { spec: { colour: 'red' } });

    await expectToShow('third', { status: { painted: 'red' } });
    expect(scene.done).not.toContain('paint glaze');
  });

  test('does not begin anew when an action is refused that it has cancelled itself', async () => {
    await widget('varnished', 'varnish');
    await expect.poll(() => scene.done).toContain('begin to varnish');

    await scene.kube.patch(scene.path('varnished'), { spec: { colour: 'red' } });

    await expectToShow('varnished', { status: { painted: 'red' } });
    expect(await scene.eventsOf('varnished')).toEqual([]);
  });

  test('catches up with what happened while no bridge watched it', async () => {
    await scene.leave();
    await scene.kube.patch(scene.path('first'), { spec: { colour: 'orange' } });
    await scene.kube.patch(`${scene.path('second')}/status`, { status: { painted: 'by hand' } });
    await scene.kube.patch(scene.path('third'), { metadata: { finalizers: null } });
    await scene.kube.request({ method: 'DELETE', path: scene.path('third') });

    await scene.comeBack();

    await expectToShow('first', { status: { painted: 'orange' } });
    await expectToShow('second', { status: { painted: 'orange' } });
    const id = entityWorkflowId('Widget', { namespace: scene.namespace, name: 'third' });
    await expect.poll(async () => (await scene.client.workflow.getHandle(id).describe()).status.name).toBe('COMPLETED');
  });

  test('is signalled again and again where no finalizer keeps it', async () => {
    await widget('draft', '');
    await expectToShow('draft', { status: { painted: '' } });
    expect(await scene.read('draft')).not.toHaveProperty('metadata.finalizers');

    await scene.kube.patch(scene.path('draft'), { spec: { colour: 'red' } });

    await expectToShow('draft', { metadata: { finalizers: ['widget.example.temper'] }, status: { painted: 'red' } });
  });

  test('that can not be read is complained about once, and looked after once it can', async () => {
    await scene.create(scene.kinds.widgets, 'odd', { spec: { colour: 7 } });
    await expect
      .poll(() => scene.eventsOf('odd'))
      .toMatchObject([{ type: 'Warning', reason: 'InvalidWidget', involvedObject: { kind: 'Widget' } }]);
    await scene.kube.patch(scene.path('odd'), { spec: { colour: 'red', palette: 'warm' } });
    await expectToShow('odd', { status: { painted: 'red' } });
    expect(await scene.eventsOf('odd')).toHaveLength(1);
  });

  test('is released once its workflow has ended, and starts again under the same name', async () => {
    const before = scene.done.length;
    await scene.kube.request({ method: 'DELETE', path: scene.path('first') });
    await expect.poll(() => scene.read('first')).toBeUndefined();
    expect(scene.done.slice(before)).toEqual(['wash']);

    await widget('first', 'red');
    await expectToShow('first', { status: { painted: 'red' } });
  });
});

describe('objects that are selected by the watch filter label', () => {
  const labelled = (value: string | null) => ({ labels: { 'cluster.x-k8s.io/watch-filter': value } });

  test('have workflows, others have not, and those of before are let alone as they are', async () => {
    await widget('before', 'red');
    await expectToShow('before', { status: { painted: 'red' } });
    await scene.leave();
    await widget('unlabelled', 'red');
    await widget('others', 'red', labelled('theirs'));
    await widget('ours', 'red', labelled('ours'));
    await scene.comeBack('ours');

    await expectToShow('ours', { status: { painted: 'red' } });
    await expect.poll(() => isAlive('before')).toBe(false);
    expect(await scene.read('before')).toMatchObject({
      metadata: { finalizers: ['widget.example.temper'] },
      status: { painted: 'red' },
    });
    expect(await Promise.all(['unlabelled', 'others'].map(isAlive))).toEqual([false, false]);
    expect(await scene.read('others')).not.toHaveProperty('status');
  });

  test('change hands with the label', async () => {
    await scene.kube.patch(scene.path('others'), { metadata: labelled('ours') });
    await expectToShow('others', { status: { painted: 'red' } });

    await scene.kube.patch(scene.path('others'), { metadata: labelled(null) });
    await expect.poll(() => isAlive('others')).toBe(false);
    // A value written by another client from now on is not overwritten.
    await scene.kube.patch(`${scene.path('others')}/status`, { status: { painted: 'by another' } });
    await scene.kube.patch(scene.path('ours'), { spec: { colour: 'orange' } });
    await expectToShow('ours', { status: { painted: 'orange' } });
    expect(await scene.read('others')).toMatchObject({ status: { painted: 'by another' } });

    await scene.kube.patch(scene.path('others'), { metadata: labelled('ours') });
    await expectToShow('others', { status: { painted: 'red' } });
  });
});
