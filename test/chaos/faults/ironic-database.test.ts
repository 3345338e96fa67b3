import { describe, expect, test } from 'vitest';
import type { HostNow } from '../ends/objects.ts';
import { reasonToDelete } from './ironic-database.ts';

/** People compare the nodes of a restored Ironic with the hosts, as docs/operations/backup-and-restore.md says. */
const aHost = (state: string, ID = 'node-a'): HostNow =>
  ({ metadata: { name: 'a' }, status: { provisioning: { state, ID } } }) as HostNow;
const reason = (nodeState: string, ...hosts: readonly HostNow[]): string | undefined =>
  reasonToDelete({ id: 'node-a', host: 'a', state: nodeState, image: '' }, hosts);

describe('a node of a restored Ironic', () => {
  test('is deleted when no host has it, also when a new host has its name', () => {
    expect(reason('active')).toBe('no host has it');
    expect(reason('available', aHost('inspecting', 'node-b'))).toBe('no host has it');
  });

  test.each(['deploy failed', 'wait call-back', 'clean wait', 'error'])(
    'is deleted when it is %s, and its host has an image, or has none and waits for one',
    (state) => {
      for (const host of ['provisioned', 'externally provisioned', 'available'])
        expect(reason(state, aHost(host))).toBe('it was in the midst of an operation');
    },
  );

  test('of a host without an image is deleted when Ironic takes it for deployed', () => {
    expect(reason('active', aHost('available'))).toBe('its host has no image any more');
  });

  test.each([
    ['active', 'provisioned'],
    ['available', 'provisioned'],
    ['clean failed', 'provisioned'],
    ['enroll', 'provisioned'],
    ['manageable', 'externally provisioned'],
    ['available', 'available'],
    ['active', 'deprovisioning'],
    ['deploy failed', 'provisioning'],
    ['clean wait', 'preparing'],
  ])('that is %s stays when its host is %s', (node, host) => {
    expect(reason(node, aHost(host))).toBeUndefined();
  });
});
