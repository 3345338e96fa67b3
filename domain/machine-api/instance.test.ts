import { describe, expect, test } from 'vitest';
import { PROVISIONING_STATES } from '../../api/baremetalhost/values.ts';
import { aHostFact } from '../../test/builders/machine.ts';
import {
  aMachineOf,
  aRunningMachine,
  CONSUMER,
  itsHost,
  look,
  PROVIDER_ID,
  shownBy,
} from '../../test/builders/machine-api.ts';
import { CLUSTER_API_OF_2019 } from './names.ts';

describe('what a Machine shows', () => {
  /** Something runs on the host. The last two are states of hosts of 2019. */
  const EXISTING: readonly string[] = [
    'provisioned',
    'externally provisioned',
    'unmanaged',
    'registering',
    'registration error',
    'power management error',
  ];

  test.each(EXISTING)('while its host is %s: providerID, addresses and Node, because it exists', (state) => {
    const seen = aRunningMachine({ host: itsHost({ state }) });
    expect(shownBy(seen)).toMatchObject({
      spec: { providerID: PROVIDER_ID },
      status: {
        phase: 'Running',
        addresses: [{ address: '192.168.111.20' }, { address: 'node-a' }, { address: 'node-a' }],
        nodeRef: { name: 'node-a' },
      },
    });
    expect(look(seen)).toBe('wait: runs as Node node-a on host host-1');
  });

  test.each(PROVISIONING_STATES.filter((state) => !EXISTING.includes(state)))(
    'while its host is %j: Failed and no addresses, because it does not exist',
    (state) => {
      const { status } = shownBy(aRunningMachine({ host: itsHost({ state }), node: undefined, nodeRef: undefined }));
      expect(status).toEqual({
        phase: 'Failed',
        errorMessage: `host host-1 was deprovisioned (${state === '' ? 'new' : state})`,
      });
    },
  );
});

describe('a Machine of 2019', () => {
  const OF_2019 = { ...CONSUMER, apiVersion: CLUSTER_API_OF_2019 };
  const aMachineOf2019 = (change: object) => aRunningMachine({ api: CLUSTER_API_OF_2019, ...change });

  test('has no addresses and no providerID before its host is provisioned, as one of OpenShift', () => {
    const host = itsHost({ consumer: OF_2019, state: 'provisioning' });
    const seen = aMachineOf({ api: CLUSTER_API_OF_2019, link: 'metal/host-1', host });
    expect(shownBy(seen)).not.toHaveProperty('spec');
    expect(shownBy(seen).status).toEqual({ phase: 'Provisioning' });
  });

  test('that is deleted does not power off a host on which nothing was deployed, as one of OpenShift', () => {
    const host = aHostFact({ consumer: OF_2019, online: true });
    expect(look(aMachineOf2019({ deletionTimestamp: '2026-01-02T00:00:00Z', host }))).toBe('release host');
  });
});
