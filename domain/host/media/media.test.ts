import { describe, expect, test } from 'vitest';
import { aHost, aNode, aSnapshot, CHANCE, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { said } from '../../../test/builders/step.ts';
import type { MediaOrder } from '../../ironic/orders.ts';
import type { DataImageSeen } from '../memory/media-record.ts';
import { type HostMemory } from '../memory/memory.ts';
import { absorb } from '../memory/take-in.ts';
import { nextStep } from '../next-step.ts';
import { record } from '../record.ts';
import { show } from '../report/show.ts';
import type { HostOfKind } from '../report/view.ts';
import type { HostOutcome } from '../step.ts';

const URL = 'http://images/data.iso';
const dataImage = (change: Partial<DataImageSeen> = {}): DataImageSeen => ({
  uid: 'd',
  url: URL,
  deleting: false,
  ...change,
});
const spec = { online: true, image: IMAGE };
const mediaShown = (memory: HostMemory) => (show(memory).ofKind as HostOfKind | undefined)?.media;

type Host = NonNullable<Parameters<typeof aHost>[0]>;

/** Runs its image, is powered off and should be powered on. */
const off = (image: DataImageSeen | undefined, host: Host = {}): HostMemory =>
  aHost({
    state: 'provisioned',
    node: aNode({ state: 'active', poweredOn: false }),
    seen: { spec, ...(image && { dataImage: image }) },
    status: { provisioning: provisionedWith(), poweredOn: false },
    ...host,
  });
const on = (image: DataImageSeen): HostMemory =>
  off(image, {
    node: aNode({ state: 'active', poweredOn: true }),
    status: { provisioning: provisionedWith(), poweredOn: true },
  });

const next = (memory: HostMemory, now = NOW): string => said(nextStep(memory, now));
const orderOf = (memory: HostMemory, now = NOW): MediaOrder => {
  const step = nextStep(memory, now);
  if (step.kind !== 'act' || step.action.name !== 'media')
    throw new Error(`expected a change of the drive: ${said(step)}`);
  return step.action.order;
};
const after = (memory: HostMemory, outcome: HostOutcome): HostMemory =>
  record(memory, { name: 'media', order: orderOf(memory) }, outcome, CHANCE);
const attached = (memory: HostMemory): HostMemory => after(memory, { kind: 'done', attached: URL });

describe('a DataImage', () => {
  test('is put in before a provisioned host is switched on, and then the host is', () => {
    const memory = off(dataImage());
    expect(orderOf(memory)).toMatchObject({ desired: URL, attached: '', requested: null });
    expect(next(attached(memory))).not.toBe('media');
    expect(mediaShown(attached(memory))).toEqual({
      uid: 'd',
      release: false,
      status: { attachedImage: { url: URL }, error: { count: 0, message: '' }, lastReconciled: '2026-01-01T00:00:00Z' },
    });
  });

  test.each<[string, HostMemory]>([
    ['a host that is on', on(dataImage())],
    ['a host that should be off', off(dataImage(), { seen: { spec: { image: IMAGE }, dataImage: dataImage() } })],
    ['a host without a DataImage', off(undefined)],
    [
      'a host that is available',
      aHost({ state: 'available', seen: { spec: { online: true }, dataImage: dataImage() } }),
    ],
  ])('leaves %s alone', (_, memory) => {
    expect(next(memory)).not.toBe('media');
  });

  test('is put in at the next start, and looked after at each one', () => {
    const first = attached(off(dataImage()));
    const again = { ...first, finished: { name: 'power' as const } };
    expect(orderOf(again)).toMatchObject({ desired: URL, attached: URL });
  });

  test('that was put in before the workflow remembers is known by its status', () => {
    const status = { attachedImage: { url: 'http://images/old.iso' } };
    expect(orderOf(off(dataImage({ status })))).toMatchObject({ desired: URL, attached: 'http://images/old.iso' });
  });

  test('that can not be put in keeps the host off until it is tried again', () => {
    const failed = after(off(dataImage()), { kind: 'failed', message: 'no such host', attached: '' });
    const step = nextStep(failed, NOW);
    expect(step).toMatchObject({ kind: 'wait', reason: expect.stringContaining('no such host') as unknown });
    const until = step.kind === 'wait' ? (step.until ?? 0) : 0;
    expect(until - NOW).toBeGreaterThanOrEqual(30_000);
    expect(next(failed, until)).toBe('media');
    expect(failed.status.operationalStatus).toBe('OK');
    expect(mediaShown(failed)?.status.error).toEqual({ count: 1, message: 'no such host' });
  });

  test('with another address is tried at once', () => {
    const failed = after(off(dataImage()), { kind: 'failed', message: 'no such host' });
    const other = aSnapshot({ resourceVersion: '101', spec, dataImage: dataImage({ url: 'http://images/b.iso' }) });
    expect(orderOf(absorb(failed, other)).desired).toBe('http://images/b.iso');
  });
});

describe('a DataImage that is being deleted', () => {
  const released = (memory: HostMemory): unknown => (show(memory).ofKind as HostOfKind | undefined)?.media?.release;
  const leaving = (memory: HostMemory) =>
    absorb(memory, aSnapshot({ resourceVersion: '101', spec, dataImage: dataImage({ deleting: true }) }));

  test('goes once the drive was looked into and is empty: an earlier run may have put it in, and nobody has shown it', () => {
    const memory = leaving(on(dataImage()));
    expect(released(memory)).toBe(false);
    expect(orderOf(memory)).toMatchObject({ desired: null, attached: '' });
    expect(released(after(memory, { kind: 'done', attached: '' }))).toBe(true);
    // An old Ironic can't look, and has put nothing in.
    expect(released(after(memory, { kind: 'failed', message: 'needs version>=1.93' }))).toBe(true);
  });

  test('stays while something unknown is in the drive, which is taken out before the next start', () => {
    const memory = leaving(on(dataImage()));
    const looked = after(memory, { kind: 'done', attached: '', holdsUnknown: true });
    expect(next(looked)).toBe('wait');
    expect(released(looked)).toBe(false);
    const starting = {
      ...looked,
      node: aNode({ state: 'active', poweredOn: false }),
      status: { ...looked.status, poweredOn: false },
      shownPower: false,
    };
    expect(orderOf(starting)).toMatchObject({ desired: '' });
    expect(released(after(starting, { kind: 'done', attached: '' }))).toBe(true);
  });

  test('goes at once while its host has no node', () => {
    const { provisioning } = aHost({ state: 'registering' }).status;
    const unknown = aHost({ state: 'registering', status: { provisioning: { ...provisioning, ID: '' } }, node: null });
    expect(released(leaving({ ...unknown, seen: { ...unknown.seen, dataImage: dataImage() } }))).toBe(true);
  });

  test('is looked for once, and stays while it is in the drive', () => {
    const running = { ...attached(off(dataImage())), node: aNode({ state: 'active', poweredOn: true }) };
    const memory = leaving(running);
    expect(orderOf(memory)).toMatchObject({ desired: null, attached: URL });
    const looked = after(memory, { kind: 'done', attached: URL });
    expect(next(looked)).toBe('wait');
    expect(released(looked)).toBe(false);
    expect(released(after(memory, { kind: 'done', attached: '' }))).toBe(true);
  });

  test('is taken out at the next start', () => {
    const memory = leaving({ ...attached(off(dataImage())), finished: null });
    expect(orderOf(memory)).toMatchObject({ desired: '', attached: URL });
    const out = after(memory, { kind: 'done', attached: '' });
    expect(next(out)).not.toBe('media');
    expect(released(out)).toBe(true);
  });

  test('is looked for again after its host was deprovisioned', () => {
    const memory = leaving({ ...attached(off(dataImage())), node: aNode({ state: 'active', poweredOn: true }) });
    const looked = after(memory, { kind: 'done', attached: URL });
    const { provisioning } = aHost({ state: 'available' }).status;
    const available = {
      ...looked,
      status: { ...looked.status, provisioning },
      seen: { ...looked.seen, spec: { ...looked.seen.spec, image: { url: '' } } },
    };
    expect(orderOf({ ...available, node: aNode({ poweredOn: true }) }).desired).toBeNull();
  });
});
