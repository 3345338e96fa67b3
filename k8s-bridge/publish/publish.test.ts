import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EntityView, Shown } from '../../domain/entity/view.ts';
import { KubeError } from '../../kube/client.ts';
import { hostPath } from '../../kube/paths.ts';
import { createStore } from '../../kube/store.ts';
import { type ObjectsInMemory, objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { aPublish } from '../../test/builders/reconciling.ts';
import { widgetBinding } from '../../test/builders/widget.ts';
import { isOutdated } from '../bindings/baremetalhost/outdated.ts';
import { createRestore } from '../lease/restore.ts';
import { createLedger, type Ledger } from '../ledger.ts';
import type { Announce } from './announce.ts';
import type { Origin } from './judge.ts';
import { createWrite } from './write.ts';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const HOUR = 3_600_000;
const HOST = { namespace: 'metal', name: 'host-1' };
const KIND = { kind: 'BareMetalHost', apiVersion: 'metal3.io/v1alpha1', plural: 'baremetalhosts' };

let objects: ObjectsInMemory;
beforeEach(async () => {
  objects = objectsInMemory();
  const body = { apiVersion: KIND.apiVersion, kind: KIND.kind, metadata: { ...HOST, uid: 'u' }, spec: {} };
  await objects.kube.request({ method: 'POST', path: hostPath({ ...HOST, name: '' }).replace(/\/$/, ''), body });
});

let events: string[];
beforeEach(() => {
  events = [];
});

/** Publishes as a bridge that has just started, or as one that has this ledger. */
async function publish(view: EntityView, origin: Origin, moment: number, ledger = createLedger()) {
  const { kube } = objects;
  const [stores, now] = [createStore(), () => moment];
  const announce: Announce = async ({ event }) => events.push(event.reason) > 0;
  const log = pino({ level: 'silent' });
  const write = createWrite({
    kube,
    stores,
    ledger,
    restore: createRestore(),
    announce,
    onRefused: () => undefined,
    log,
    now,
  });
  const followed = { ...KIND, workflow: widgetBinding.followed.workflow };
  const binding = { ...widgetBinding, followed, isOutdated };
  return aPublish({ binding, store: stores, ledger, now }, { write, announce })(view, origin);
}

const host = () => objects.all().get(hostPath(HOST));
const viewOf = (state: string, envelope: Partial<EntityView> = {}, shown: Shown = {}): EntityView => ({
  kind: KIND.kind,
  ...HOST,
  uid: 'u',
  generation: 1,
  run: 'r',
  revision: 1,
  at: NOON - 1,
  order: { epoch: 0, number: 1 },
  waitingFor: '',
  shown: { timed: true, state, status: { poweredOn: true, provisioning: { state, image: { url: '' } } }, ...shown },
  ...envelope,
});

describe('a repair of a status', () => {
  const shown = { shownAt: NOON, shownState: 'available' };
  beforeEach(async () => {
    await publish(viewOf('available'), { kind: 'workflow' }, NOON);
    await objects.kube.patch(`${hostPath(HOST)}/status`, { status: { poweredOn: false } });
    await publish(viewOf('available', shown), { kind: 'query', askedAt: NOON + HOUR }, NOON + HOUR);
  });

  test('says when that was written first, so that the run does not look outdated when it goes on', () => {
    expect(host()?.status).toMatchObject({ poweredOn: true, lastUpdated: '2026-01-01T12:00:00Z' });
    const later = viewOf('provisioning', { ...shown, revision: 2, at: NOON + 2 * HOUR });
    expect(isOutdated(later, host(), NOON + 2 * HOUR)).toBe(false);
  });

  test('says when it was made when that is in the future, by the clock of an earlier bridge', async () => {
    await objects.kube.patch(`${hostPath(HOST)}/status`, { status: { poweredOn: false } });
    const ahead = viewOf('available', { ...shown, shownAt: NOON + 9_000 * HOUR });
    await publish(ahead, { kind: 'query', askedAt: NOON + 2 * HOUR }, NOON + 2 * HOUR);
    expect(host()?.status).toMatchObject({ lastUpdated: '2026-01-01T14:00:00Z' });
  });

  test.each([
    ['another state', viewOf('provisioning', { ...shown, at: NOON + HOUR })],
    ['something newer', viewOf('available', { ...shown, at: NOON + HOUR }, { status: { poweredOn: false } })],
    ['what no bridge has written yet', viewOf('available', {}, { status: { poweredOn: false } })],
  ])('with %s says when it was made', async (_, view) => {
    await publish(view, { kind: 'query', askedAt: NOON + 2 * HOUR }, NOON + 2 * HOUR);
    expect(host()?.status).toMatchObject({ lastUpdated: '2026-01-01T14:00:00Z' });
  });
});

describe('a view with a value that the API server will never accept', () => {
  const WORKFLOW = { kind: 'workflow' } as const;
  const forged = (revision: number, at: number, change: Partial<EntityView> = {}): EntityView =>
    viewOf(
      'available',
      { revision, at, ...change },
      { status: { poweredOn: 'forged', provisioning: { state: 'available' } } },
    );
  let ledger: Ledger;
  beforeEach(() => {
    ledger = createLedger();
    // Otherwise the object is taken for one that is gone.
    ledger.of('u').signalled = { essence: '', order: { epoch: 0, number: 1 } };
    const { kube } = objects;
    const patch: typeof kube.patch = async (path, body) => {
      const { status } = body as { readonly status?: { readonly poweredOn?: unknown } };
      if (typeof status?.poweredOn === 'string')
        throw new KubeError(path, 422, { reason: 'Invalid', message: 'no', object: 'x', fields: ['status.poweredOn'] });
      return kube.patch(path, body);
    };
    objects = { ...objects, kube: { ...kube, patch } };
  });

  test('lets its run begin anew from the object, with an Event', async () => {
    expect(await publish(forged(1, NOON), WORKFLOW, NOON, ledger)).toEqual({ kind: 'behind' });
    expect(ledger.of('u').anew).toEqual({});
    expect(events).toEqual(['WriteRefused', 'WorkflowBegunAnew']);
    expect(host()?.status).toBeUndefined();
  });

  test('is written without it when the run has it from the object, so that the run goes on', async () => {
    await publish(forged(1, NOON), WORKFLOW, NOON, ledger);
    // As the signal with the object as it is does.
    Object.assign(ledger.of('u'), { anew: undefined, anewFrom: { epoch: 0, number: 2 } });
    const again = forged(2, NOON + 1, { order: { epoch: 0, number: 2 } });
    const view = { ...again, shown: { ...again.shown, conditions: [] } };
    expect(await publish(view, WORKFLOW, NOON + 1, ledger)).toMatchObject({ kind: 'published' });
    expect(host()?.status).toMatchObject({
      provisioning: { state: 'available' },
      conditions: [{ type: 'WriteRefused', reason: 'Invalid' }],
    });
    expect(host()?.status).not.toHaveProperty('poweredOn');
    expect(events.filter((reason) => reason === 'WorkflowBegunAnew')).toHaveLength(1);

    const shown = { conditions: [], status: { poweredOn: true, provisioning: { state: 'available' } } };
    const next = { ...view, revision: 3, at: NOON + 2, shown: { ...view.shown, ...shown } };
    expect(await publish(next, WORKFLOW, NOON + 2, ledger)).toMatchObject({ kind: 'published' });
    expect(host()?.status).toMatchObject({ poweredOn: true, conditions: [] });
  });

  test('lets its run begin anew once an hour at most', async () => {
    const answerAt = async (moment: number): Promise<string> => {
      Object.assign(ledger.of('u'), { anew: undefined });
      return (await publish(forged(moment - NOON + 1, moment), WORKFLOW, moment, ledger)).kind;
    };
    expect(await answerAt(NOON)).toBe('behind');
    expect(await answerAt(NOON + HOUR - 1)).toBe('published');
    expect(await answerAt(NOON + HOUR)).toBe('behind');
  });
});
