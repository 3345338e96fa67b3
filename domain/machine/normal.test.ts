import { describe, expect, test } from 'vitest';
import {
  AT,
  aMachineOnHost,
  aMachineSnapshot,
  anOwner,
  anOwnHost,
  answered,
  condition,
  failed,
  IMAGE,
  legacyCondition,
  look,
} from '../../test/builders/machine.ts';
import type { MachineSnapshot } from './memory/snapshot.ts';
import { show } from './report/show.ts';

describe('a machine whose bootstrap data is not there', () => {
  const { configRef: _, dataSecretName: __, ...plain } = anOwner();
  test.each([
    ['its bootstrap config says that it is not ready, even if a Secret is named', anOwner({ bootstrapReady: false })],
    ['it has neither a bootstrap config nor the name of a Secret', plain],
  ])('waits while %s', (_when, owner) => {
    const { memory, step } = look(aMachineSnapshot({ owner }));
    expect(step).toEqual({ kind: 'wait', reason: 'waiting for the bootstrap provider to make its user data' });
    expect(condition(memory, 'AssociateBareMetalHost')).toBe(
      'False WaitingForBootstrapData: Waiting for bootstrap data to be ready before proceeding',
    );
    expect(legacyCondition(memory, 'AssociateBMH')).toBe('False Info WaitingForBootstrapReady');
  });
  test('exists without a bootstrap config as soon as a Secret is named', () => {
    const owner = { ...plain, bootstrapReady: false, dataSecretName: 'own' };
    expect(look(aMachineSnapshot({ owner })).step.kind).toBe('act');
  });
});

describe('the user data of a machine', () => {
  const userData = (snapshot: Partial<MachineSnapshot>): unknown =>
    answered(look(aMachineSnapshot(snapshot)), { kind: 'associated', host: anOwnHost(), viaReuse: false }).memory.record
      .userData;
  const { configRef: _, dataSecretName: __, ...plain } = anOwner();
  test('is the Secret of the bootstrap provider, whatever the spec says', () => {
    const spec = { image: IMAGE, userData: { name: 'mine' } };
    expect(userData({ spec })).toEqual({ name: 'boot', namespace: 'metal' });
    expect(userData({ spec, owner: { ...plain, dataSecretName: 'given' } })).toEqual({
      name: 'given',
      namespace: 'metal',
    });
  });
  test('is called as the bootstrap config when no Secret is named', () => {
    expect(userData({ owner: { ...plain, configRef: 'boot-config' } })).toEqual({
      name: 'boot-config',
      namespace: 'metal',
    });
  });
  test('is settled once', () => {
    const status = { userData: { name: 'first' }, conditions: [], legacyConditions: [] };
    expect(userData({ status })).toEqual({ name: 'first' });
  });
});

describe('a machine on a host', () => {
  const empty = anOwnHost({ hasImage: false, online: false, state: 'available', poweredOn: false });
  const { userData: _, ...bare } = empty;
  const fill = (snapshot: Partial<MachineSnapshot>): object => {
    const { step } = look(aMachineOnHost(snapshot));
    if (step.kind !== 'act' || step.action.name !== 'fill host') throw new Error(JSON.stringify(step));
    return step.action.order.change;
  };

  test('writes its image and that it should be on', () => {
    expect(fill({ host: bare })).toEqual({
      image: IMAGE,
      userData: { name: 'boot', namespace: 'metal' },
      online: true,
    });
  });
  test('gives it a deploy step instead of an image, or both', () => {
    const customDeploy = { method: 'install_coreos' };
    expect(fill({ host: bare, spec: { customDeploy } })).toMatchObject({ customDeploy });
    expect(fill({ host: bare, spec: { customDeploy } })).not.toHaveProperty('image');
    expect(fill({ host: bare, spec: { customDeploy, image: IMAGE } })).toMatchObject({ customDeploy, image: IMAGE });
  });
  test('never changes an image or a deploy step that it has', () => {
    expect(fill({ host: { ...bare, hasImage: true } })).toEqual({ online: true });
    expect(fill({ host: { ...bare, hasCustomDeploy: true } })).toEqual({ online: true });
  });
  test('takes its Secrets over, in its own namespace, also without a template', () => {
    const spec = { image: IMAGE, metaData: { name: 'm' }, networkData: { name: 'n', namespace: '' } };
    const secrets = {
      metaData: { name: 'm', namespace: 'metal' },
      networkData: { name: 'n', namespace: 'metal' },
    };
    expect(fill({ host: bare, spec })).toMatchObject({ image: IMAGE, ...secrets });
  });
  test('sets the cleaning mode that it has, and leaves it when it has none', () => {
    const spec = { image: IMAGE, automatedCleaningMode: 'disabled' } as const;
    expect(fill({ host: anOwnHost({ online: false }), spec })).toEqual({
      online: true,
      automatedCleaningMode: 'disabled',
    });
    const template = { paused: false, automatedCleaningMode: 'disabled' } as const;
    expect(fill({ host: anOwnHost({ online: false }), template })).toMatchObject({ automatedCleaningMode: 'disabled' });
    expect(fill({ host: anOwnHost({ online: false, automatedCleaningMode: 'disabled' }) })).toEqual({ online: true });
  });
  test('without an image says that there is nothing to run', () => {
    const { memory, step } = look(aMachineOnHost({ host: bare, spec: {} }));
    expect(step.kind).toBe('wait');
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe(
      'False CreateError: failed to update BareMetalHost: Metal3Machine m3m-1 has neither Image.URL nor CustomDeploy.Method configured',
    );
  });
  test('gives it no Secret of another namespace', () => {
    const status = { userData: { name: 'x', namespace: 'other' }, conditions: [], legacyConditions: [] };
    const { memory } = look(aMachineOnHost({ host: bare, status }));
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toContain(
      'cross-namespace secret reference is not allowed for userData on host host-1',
    );
  });
  test('shows the addresses that inspection found', () => {
    const { memory } = look(aMachineOnHost({ host: anOwnHost({ ips: ['10.0.0.1', 'fd00::1'], hostname: 'node-a' }) }));
    expect(show(memory).status?.['addresses']).toEqual([
      { type: 'InternalIP', address: '10.0.0.1' },
      { type: 'InternalIP', address: 'fd00::1' },
      { type: 'Hostname', address: 'node-a' },
      { type: 'InternalDNS', address: 'node-a' },
    ]);
    expect(show(look(aMachineOnHost({ host: anOwnHost({ ips: [], hostname: '' }) })).memory).status).not.toHaveProperty(
      'addresses',
    );
  });
  test('waits until it is provisioned, and says what state it is in and what is wrong', () => {
    const host = anOwnHost({ state: 'provisioning' });
    expect(look(aMachineOnHost({ host })).step).toEqual({
      kind: 'wait',
      reason: 'waiting for host host-1 to be provisioned (provisioning)',
    });
    expect(look(aMachineOnHost({ host: { ...host, state: '', errorMessage: 'no' } })).step).toMatchObject({
      reason: 'waiting for host host-1 to be provisioned (new: no)',
    });
    const external = anOwnHost({ state: 'externally provisioned' });
    expect(look(aMachineOnHost({ host: external })).step.kind).toBe('wait');
  });
  test('shows that filling it failed, and tries again', () => {
    const { memory, step } = failed(look(aMachineOnHost({ host: bare })), 'refused');
    expect(step).toMatchObject({ kind: 'wait', until: AT + 60_000 });
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe(
      'False CreateError: failed to update BareMetalHost: refused',
    );
  });
  test('that is gone says so', () => {
    const { host: __, ...gone } = aMachineOnHost();
    const { memory, step } = look(gone);
    expect(step).toMatchObject({ kind: 'wait', reason: 'BareMetalHost not found for machine machine-1' });
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe(
      'False CreateError: failed to update BareMetalHost: BareMetalHost not found for machine machine-1',
    );
  });
  test('with another consumer is left alone, and its consumer is shown', () => {
    const host = anOwnHost({ consumer: { kind: 'Metal3Machine', namespace: 'metal', name: 'm3m-2' }, online: false });
    expect(look(aMachineOnHost({ host })).step).toEqual({
      kind: 'wait',
      reason: 'BareMetalHost host-1 is taken by Metal3Machine metal/m3m-2',
    });
  });
  test('that has no consumer any more claims it again', () => {
    const { consumer: ___, ...free } = anOwnHost();
    expect(look(aMachineOnHost({ host: free })).step).toMatchObject({
      action: { name: 'associate', order: { host: { namespace: 'metal', name: 'host-1', uid: 'host-uid-1' } } },
    });
  });
  test('writes the namespace into an annotation that lacks it', () => {
    const { memory } = look(aMachineOnHost({ hostAnnotation: 'host-1' }));
    expect(show(memory).annotations).toEqual({ 'metal3.io/BareMetalHost': 'metal/host-1' });
  });
});

describe('a machine with a data template', () => {
  const spec = { image: IMAGE, dataTemplate: { name: 'tpl' } };
  const on = (change: Partial<MachineSnapshot> = {}): MachineSnapshot =>
    aMachineOnHost({ spec, host: anOwnHost({ hasImage: false, state: 'available' }), ...change });
  const claim = { deleting: false, hasFinalizer: true, renderedData: { name: 'tpl-0', namespace: 'metal' } };
  const data = {
    name: 'tpl-0',
    namespace: 'metal',
    ready: true,
    metaData: { name: 'meta' },
    networkData: { name: 'net' },
  };
  const CREATE = 'False CreateError: failed to update BareMetalHost';

  test('asks for data in its own name, and writes the namespace of the template into its spec', () => {
    const { memory, step } = look(on());
    expect(step).toEqual({
      kind: 'act',
      action: {
        name: 'request data',
        order: {
          machine: { namespace: 'metal', name: 'm3m-1', uid: 'm3m-uid-1' },
          template: { name: 'tpl', namespace: 'metal' },
        },
      },
    });
    expect(show(memory).spec).toEqual({ dataTemplate: { name: 'tpl', namespace: 'metal' } });
  });
  test('shows that asking failed', () => {
    const { memory } = failed(look(on()), 'refused');
    expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe(
      'False AssociateMetal3MachineMetaDataFailed: Failed to get the Metal3Metadata: refused',
    );
    expect(legacyCondition(memory, 'KubernetesNodeReady')).toBe('False Warning AssociateM3MetaDataFailed: refused');
  });
  test('waits until its data has a name', () => {
    const asked = answered(look(on()), { kind: 'claim', claim: { deleting: false, hasFinalizer: true } });
    expect(asked.step).toMatchObject({ kind: 'wait', reason: 'waiting for Metal3DataTemplate to be available' });
    expect(condition(asked.memory, 'AssociateMetal3MachineMetaData')).toBe(
      `${CREATE}: waiting for Metal3DataTemplate to be available`,
    );
    const refused = look(on({ claim: { deleting: false, hasFinalizer: true, errorMessage: 'no such template' } }));
    expect(refused.step).toMatchObject({ reason: 'waiting for Metal3DataTemplate to be available: no such template' });
  });
  test('waits until its data exists and is rendered, and says what is missing', () => {
    expect(look(on({ claim })).step).toMatchObject({ kind: 'wait', reason: 'Metal3Data is not found' });
    const { memory, step } = look(on({ claim, data: { ...data, ready: false, errorMessage: 'no NIC eth9' } }));
    expect(step).toMatchObject({ reason: 'waiting for Metal3Data to become ready: no NIC eth9' });
    expect(condition(memory, 'Metal3DataReady')).toBe('False WaitingForMetal3Data: no NIC eth9');
    expect(legacyCondition(memory, 'Metal3DataReady')).toBe('False Info WaitingForMetal3Data: no NIC eth9');
    const waitingFor = 'waiting for an address from IPPool lan';
    const waiting = look(on({ claim, data: { ...data, ready: false, waitingFor } }));
    expect(condition(waiting.memory, 'Metal3DataReady')).toBe(`False WaitingForMetal3Data: ${waitingFor}`);
    const silent = look(on({ claim, data: { ...data, ready: false } }));
    expect(condition(silent.memory, 'Metal3DataReady')).toBe('False WaitingForMetal3Data');
  });
  test('fills its host with what was rendered', () => {
    const { memory, step } = look(on({ claim, data }));
    expect(step).toMatchObject({
      action: {
        name: 'fill host',
        order: {
          change: { metaData: { name: 'meta', namespace: 'metal' }, networkData: { name: 'net', namespace: 'metal' } },
        },
      },
    });
    expect(condition(memory, 'Metal3DataReady')).toBe('True Metal3DataSecretsReady');
    expect(show(memory).status).toMatchObject({ renderedData: { name: 'tpl-0', namespace: 'metal' } });
  });
  test('keeps Secrets that its user names, and writes their namespace into status and spec', () => {
    const { memory } = look(on({ claim, data, spec: { ...spec, metaData: { name: 'mine' } } }));
    expect(memory.record).toMatchObject({ metaData: { name: 'mine' }, networkData: { name: 'net' } });
    const mine = { name: 'mine', namespace: 'metal' };
    expect(show(memory)).toMatchObject({ status: { metaData: mine }, spec: { metaData: mine } });
    const filled = look(on({ claim, data, spec: { ...spec, metaData: mine } }));
    expect(show(filled.memory).spec).not.toHaveProperty('metaData');
  });
  test('asks no second time once it knows the name of its data', () => {
    const status = { renderedData: { name: 'tpl-0', namespace: 'metal' }, conditions: [], legacyConditions: [] };
    expect(look(on({ status, data })).step).toMatchObject({ action: { name: 'fill host' } });
  });
  test('takes no Secret of another namespace', () => {
    for (const field of ['metaData', 'networkData'] as const) {
      const { memory, step } = look(on({ spec: { ...spec, [field]: { name: 'x', namespace: 'other' } } }));
      expect(step.kind).toBe('wait');
      expect(condition(memory, 'AssociateMetal3MachineMetaData')).toBe(
        `False AssociateMetal3MachineMetaDataFailed: Failed to get the Metal3Metadata: cross-namespace secret reference is not allowed for ${field} (namespace "other" does not match "metal")`,
      );
    }
  });
});
