import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EntityView } from '../../domain/entity/view.ts';
import { hostPath } from '../../kube/paths.ts';
import { createStore } from '../../kube/store.ts';
import { type ObjectsInMemory, objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { widgetBinding } from '../../test/builders/widget.ts';
import { isOutdated } from '../bindings/baremetalhost/outdated.ts';
import { createRestore } from '../lease/restore.ts';
import { createLedger } from '../ledger.ts';
import type { Origin } from './judge.ts';
import { createPublish } from './publish.ts';
import { createSerializer } from './serialize.ts';
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

/** Publishes as a bridge that has just started. */
async function publish(view: EntityView, origin: Origin, moment: number) {
  const { kube } = objects;
  const [stores, ledger, now] = [createStore(), createLedger(), () => moment];
  const announce = async (): Promise<boolean> => true;
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
  return createPublish({
    bindings: [{ ...widgetBinding, followed: KIND, isOutdated }],
    stores,
    ledger,
    toldFirst: async () => undefined,
    write,
    announce,
    serially: createSerializer(),
    look: () => undefined,
    onWritten: () => undefined,
  })(view, origin);
}

const host = () => objects.all().get(hostPath(HOST));
const viewOf = (state: string, change: Partial<EntityView> = {}): EntityView => ({
  kind: KIND.kind,
  ...HOST,
  uid: 'u',
  generation: 1,
  run: 'r',
  revision: 1,
  at: NOON - 1,
  order: { epoch: 0, number: 1 },
  waitingFor: '',
  timed: true,
  state,
  status: { poweredOn: true, provisioning: { state, image: { url: '' } } },
  ...change,
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
    expect(isOutdated(later, host())).toBe(false);
  });

  test.each([
    ['another state', viewOf('provisioning', { ...shown, at: NOON + HOUR })],
    ['something newer', viewOf('available', { ...shown, at: NOON + HOUR, status: { poweredOn: false } })],
    ['what no bridge has written yet', viewOf('available', { status: { poweredOn: false } })],
  ])('with %s says when it was made', async (_, view) => {
    await publish(view, { kind: 'query', askedAt: NOON + 2 * HOUR }, NOON + 2 * HOUR);
    expect(host()?.status).toMatchObject({ lastUpdated: '2026-01-01T14:00:00Z' });
  });
});
