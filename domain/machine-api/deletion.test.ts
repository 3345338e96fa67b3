import { describe, expect, test } from 'vitest';
import { aHostFact } from '../../test/builders/machine.ts';
import {
  ACTUATOR,
  answered,
  aRunningMachine,
  CONSUMER,
  DELETED,
  itsHost,
  itsNode,
  look,
  OTHER,
  shownBy,
  stepOf,
  wordsOf,
} from '../../test/builders/machine-api.ts';
import { machineApiEntity } from './entity.ts';

const { absorb, begin } = machineApiEntity;

describe('a Machine that is being deleted', () => {
  const deleted = (change: object = {}) => aRunningMachine({ ...DELETED, ...change });

  test.each([
    [
      'waits for lifecycle hooks',
      { hooks: ['drain', 'backup'] },
      'wait: being deleted: waiting for lifecycle hooks: drain, backup',
    ],
    [
      'waits for whoever drains its Node',
      { isDrained: false },
      'wait: being deleted: waiting until its Node is drained',
    ],
    [
      'removes the finalizer of former actuators from its Node first',
      { node: itsNode({ hasLegacyFinalizer: true }) },
      'link node',
    ],
    [
      'leaves a host on that can not be powered off',
      { host: itsHost({ disablePowerOff: true }) },
      'deprovision host {"image":null,"userData":null}',
    ],
    [
      'leaves a host on where that is set',
      { settings: { isController: true, fastTrack: true } },
      'deprovision host {"image":null,"userData":null}',
    ],
    [
      'removes a method too',
      { host: itsHost({ hasImage: false, hasCustomDeploy: true, userData: undefined }) },
      'deprovision host {"customDeploy":null,"online":false}',
    ],
    [
      'powers off what it did not provision',
      { host: itsHost({ state: 'externally provisioned', hasImage: false, userData: undefined }) },
      'deprovision host {"online":false}',
    ],
    [
      'releases it when it is off',
      {
        host: itsHost({
          state: 'externally provisioned',
          hasImage: false,
          userData: undefined,
          online: false,
          poweredOn: false,
        }),
      },
      'release host',
    ],
    ['releases a free host as it is', { host: aHostFact({ consumer: CONSUMER, online: true }) }, 'release host'],
    ['leaves a host of another consumer alone', { host: itsHost({ consumer: OTHER }) }, 'delete node'],
    [
      'leaves its host alone when this has lost its consumer',
      { host: itsHost({ consumer: undefined }) },
      'delete node',
    ],
    ['is gone without a host and a Node', { host: undefined, node: undefined }, 'gone'],
    ['leaves a Node that it never had', { host: undefined, nodeRef: undefined }, 'gone'],
    ['leaves its Node to the machine controller', { settings: ACTUATOR, host: undefined }, 'gone'],
  ])('%s', (_, change, words) => {
    expect(look(deleted(change))).toBe(words);
  });

  test('deletes a Node that it has linked just before', () => {
    const unlinked = itsNode({ machine: '' });
    const linking = begin(aRunningMachine({ node: unlinked }));
    // The change of the Node is seen before the action ends.
    const linked = answered(absorb(linking, aRunningMachine()) && linking, { kind: 'node' });
    const memory = absorb({ ...linked, seen: aRunningMachine() }, deleted({ host: undefined }));
    expect(wordsOf(stepOf(memory))).toBe('delete node');
  });

  test('keeps its addresses until its host is released', () => {
    expect(shownBy(deleted({ host: itsHost({ state: 'deprovisioning' }) })).status).toHaveProperty('addresses');
  });
});
