import { describe, expect, test } from 'vitest';
import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import { type ProvisioningState, UNDEPLOYING_ANNOTATION } from '../../../api/baremetalhost/values.ts';
import { aHost, aNode, IMAGE } from '../../../test/builders/host.ts';
import { objectOf } from '../../../test/builders/host-object.ts';
import { desiredBmc, desiredSettings } from '../../ironic/node-settings.ts';
import type { HostMemory } from '../memory/memory.ts';
import {
  askedAgain,
  type HostRequest,
  isOfPresentWish,
  isUndeploymentBegun,
  objection,
  tooEarly,
} from './asked-now.ts';

const OTHER = { ...IMAGE, url: 'http://images/b.raw' };
const DELETED = '2026-01-01T00:00:00Z';
const host = { namespace: 'metal', name: 'node-1', uid: 'uid-1' };
const node = { host, nodeId: aNode().id };

interface Change {
  readonly uid?: string;
  readonly annotations?: Record<string, string>;
  readonly deleting?: boolean;
  readonly spec?: Partial<BareMetalHost['spec']>;
  readonly state?: ProvisioningState;
  readonly status?: Partial<BareMetalHost['status']>;
}

const memoryOf = ({ state = 'available', spec, annotations, deleting, uid }: Change): HostMemory =>
  aHost({
    state,
    seen: {
      ...(uid !== undefined && { uid }),
      ...(spec !== undefined && { spec }),
      ...(annotations !== undefined && { annotations }),
      ...(deleting === true && { deletionTimestamp: DELETED }),
    },
  });

function anObject(change: Change = {}): BareMetalHost {
  const memory = memoryOf(change);
  const object = objectOf(memory);
  return { ...object, status: Object.assign({}, object.status, change.status) };
}

const order = {
  ...node,
  bmc: desiredBmc(memoryOf({}).seen.spec),
  ...desiredSettings({}),
};
const requestOf = (name: HostRequest['name'], rest: object = {}): HostRequest =>
  ({ name, order: { ...order, on: false, ...rest } }) as HostRequest;
const provisioned = { image: IMAGE };
const volumes = (level: '0' | '1') => ({ softwareRAIDVolumes: [{ level, rootVolume: false }] });
const withImage = (state: ProvisioningState, image: object = IMAGE): Change => ({
  state,
  spec: { online: true, image: image as typeof IMAGE },
  status: {
    lastAttemptedImage: IMAGE,
    provisioning: { state, ID: node.nodeId, ...(state === 'provisioned' && provisioned) },
  },
});

/** Runs its image, and is never to be powered off. */
const NEVER_OFF: Change = {
  ...withImage('provisioned'),
  spec: { online: true, image: IMAGE, disablePowerOff: true },
};

describe('a BareMetalHost as it is now asks for', () => {
  test.each<[string, HostRequest, Change]>([
    ['the undeployment of an image that it does not want', requestOf('undeploy'), withImage('provisioned', OTHER)],
    ['the end of an undeployment', requestOf('undeploy'), withImage('deprovisioning')],
    ['the undeployment before its deletion', requestOf('undeploy'), { ...withImage('provisioned'), deleting: true }],
    ['the deployment of its image', requestOf('deploy', { image: IMAGE }), withImage('provisioning')],
    [
      'the deployment of its image, whatever data the order names: that of the object is used',
      requestOf('deploy', { image: IMAGE, userData: { name: 'other' } }),
      withImage('provisioning'),
    ],
    ['cleaning before a deployment', requestOf('clean'), withImage('provisioning')],
    [
      'its volumes',
      requestOf('prepare', { unprepared: true, targetRaid: volumes('1') }),
      { state: 'preparing', spec: { online: true, raid: volumes('1') } },
    ],
    [
      'the end of its preparation, whatever it asks for by now',
      requestOf('prepare', { unprepared: false, targetRaid: volumes('1') }),
      { state: 'preparing' },
    ],
    [
      'the deletion of software volumes',
      requestOf('prepare', { unprepared: true, targetRaid: { softwareRAIDVolumes: [] } }),
      { state: 'preparing', status: { provisioning: { state: 'preparing', ID: node.nodeId, raid: volumes('1') } } },
    ],
    ['power off', requestOf('power'), { state: 'provisioned', spec: { online: false } }],
    [
      'a reboot',
      requestOf('power', { on: true, rebootFor: ['reboot.metal3.io/a'] }),
      { ...NEVER_OFF, annotations: { 'reboot.metal3.io/a': '', 'reboot.metal3.io/b': '' } },
    ],
    ['power on', requestOf('power', { on: true }), withImage('provisioned')],
    [
      'power on at the end of a reboot, whose annotation is still there',
      requestOf('power', { on: true }),
      { ...withImage('provisioned'), annotations: { 'reboot.metal3.io': '' } },
    ],
    [
      'power on while nothing is deployed, although an annotation would keep it off otherwise',
      requestOf('power', { on: true }),
      { state: 'available', spec: { online: true }, annotations: { 'reboot.metal3.io/fence': '' } },
    ],
    ['power off before its deletion', requestOf('power'), { ...withImage('provisioned'), deleting: true }],
    ['its detachment', requestOf('delete'), { annotations: { 'baremetalhost.metal3.io/detached': '' } }],
    ['its deletion', requestOf('delete'), { deleting: true }],
    ['access to its BMC', requestOf('register'), {}],
  ])('%s', (_, request, change) => {
    expect(objection(anObject(change), request)).toBeUndefined();
  });
});

describe('a BareMetalHost as it is now objects to', () => {
  test.each<[string, HostRequest, Change, string]>([
    [
      'the erasure of what it wants',
      requestOf('undeploy'),
      withImage('provisioned'),
      'it is provisioned as its spec asks',
    ],
    [
      'the end of its deployment',
      requestOf('undeploy'),
      withImage('provisioning'),
      'it is being provisioned as its spec asks',
    ],
    [
      'the erasure of what others have installed',
      requestOf('undeploy'),
      { state: 'externally provisioned', deleting: true },
      'nothing is deployed on it: it is externally provisioned',
    ],
    ['cleaning while its image runs', requestOf('clean'), withImage('provisioned'), 'it is provisioned'],
    [
      'the deployment of an image that was wanted once',
      requestOf('deploy', { image: OTHER }),
      withImage('provisioning'),
      'its spec asks for another deployment',
    ],
    [
      'a deployment over its image',
      requestOf('deploy', { image: IMAGE }),
      withImage('provisioned'),
      'it is provisioned',
    ],
    [
      'a deployment while it is being deleted',
      requestOf('deploy', { image: IMAGE }),
      { ...withImage('provisioning'), deleting: true },
      'it is being deleted',
    ],
    [
      'an inspection while it is being deleted',
      requestOf('inspect'),
      { state: 'inspecting', deleting: true },
      'it is being deleted',
    ],
    [
      'new volumes while it is being deleted',
      requestOf('prepare'),
      { state: 'preparing', deleting: true },
      'it is being deleted',
    ],
    [
      'cleaning while it is being deleted',
      requestOf('clean'),
      { ...withImage('provisioning'), deleting: true },
      'it is being deleted',
    ],
    ['cleaning for nothing', requestOf('clean'), { state: 'available' }, 'its spec asks for no deployment'],
    ['a deployment of nothing', requestOf('deploy'), { state: 'available' }, 'its spec asks for no deployment'],
    [
      'cleaning of what others have installed',
      requestOf('clean'),
      { state: 'available', spec: { online: true, image: IMAGE, externallyProvisioned: true } },
      'it is externally provisioned',
    ],
    ['an inspection while its image runs', requestOf('inspect'), withImage('provisioned'), 'it is provisioned'],
    ['new volumes while its image runs', requestOf('prepare'), withImage('provisioned'), 'it is provisioned'],
    [
      'volumes that it wanted once',
      requestOf('prepare', { unprepared: true, targetRaid: volumes('0') }),
      { state: 'preparing', spec: { online: true, raid: volumes('1') } },
      'its spec asks for other volumes',
    ],
    [
      'volumes that it never wanted',
      requestOf('prepare', { unprepared: true, targetRaid: volumes('0') }),
      { state: 'preparing' },
      'its spec asks for other volumes',
    ],
    [
      'such volumes, also when the order names a BMC that nobody knows',
      requestOf('prepare', { unprepared: true, targetRaid: volumes('0'), bmc: { address: 'odd://' } }),
      { state: 'preparing' },
      'its spec asks for other volumes',
    ],
    [
      'other firmware',
      requestOf('prepare', { unprepared: true, firmwareUpdates: [{ component: 'bmc', url: 'http://evil/bmc' }] }),
      { state: 'preparing' },
      'nothing asks for other firmware or BIOS settings',
    ],
    [
      'other BIOS settings',
      requestOf('prepare', { unprepared: true, biosSettings: { SecureBoot: 'Disabled' } }),
      { state: 'preparing' },
      'nothing asks for other firmware or BIOS settings',
    ],
    ['power off', requestOf('power'), withImage('provisioned'), 'it asks to be powered on'],
    [
      'a reboot that it does not ask for any more',
      requestOf('power', { on: true, rebootFor: ['reboot.metal3.io/a'] }),
      { ...NEVER_OFF, annotations: { 'reboot.metal3.io/fence': '' } },
      'it asks for no reboot',
    ],
    [
      'a reboot for nothing',
      requestOf('power', { on: true, rebootFor: [] }),
      { ...NEVER_OFF, annotations: { 'reboot.metal3.io/a': '' } },
      'it asks for no reboot',
    ],
    [
      'a reboot of a server that may be fenced, because it may be powered off',
      requestOf('power', { on: true, rebootFor: ['reboot.metal3.io/a'] }),
      { ...withImage('provisioned'), annotations: { 'reboot.metal3.io/a': '' } },
      'its server is to be powered off for a reboot',
    ],
    [
      'a reboot when it is to be off',
      requestOf('power', { on: true, rebootFor: ['reboot.metal3.io/a'] }),
      {
        state: 'provisioned',
        spec: { online: false, disablePowerOff: true },
        annotations: { 'reboot.metal3.io/a': '' },
      },
      'it asks to be off',
    ],
    [
      'a reboot before its deletion',
      requestOf('power', { on: true, rebootFor: ['reboot.metal3.io/a'] }),
      { ...NEVER_OFF, annotations: { 'reboot.metal3.io/a': '' }, deleting: true },
      'it is being deleted',
    ],
    [
      'power on when it is to be off',
      requestOf('power', { on: true }),
      { state: 'provisioned', spec: { online: false } },
      'it asks to be off',
    ],
    [
      'power on while an annotation keeps it off',
      requestOf('power', { on: true }),
      { ...withImage('provisioned'), annotations: { 'reboot.metal3.io/metal3-remediation-1': '' } },
      'its annotation reboot.metal3.io/metal3-remediation-1 keeps it off',
    ],
    [
      'power on while an annotation keeps it off, although nothing is deployed',
      requestOf('power', { on: true }),
      { state: 'available', spec: { online: true }, annotations: { 'reboot.metal3.io/fence': '{"force":true}' } },
      'its annotation reboot.metal3.io/fence keeps it off',
    ],
    [
      'power on while it is being deleted',
      requestOf('power', { on: true }),
      { ...withImage('provisioned'), deleting: true },
      'it is being deleted',
    ],
    [
      'an inspection that is disabled',
      requestOf('inspect'),
      { state: 'available', spec: { online: true, inspectionMode: 'disabled' } },
      'its inspection is disabled',
    ],
    ['its removal', requestOf('delete'), {}, 'it is neither being deleted nor to be detached'],
    [
      'sending its credentials elsewhere',
      requestOf('register', { bmc: { address: 'redfish://elsewhere', credentialsName: 'node-1-bmc' } }),
      {},
      'it names another BMC, or other Secrets',
    ],
    [
      'sending its credentials to a BMC that is not verified',
      requestOf('register', { bmc: { ...order.bmc, disableCertificateVerification: true } }),
      {},
      'its spec says otherwise whether the certificate of its BMC is verified',
    ],
    [
      'anything meant for another one of its name',
      requestOf('undeploy'),
      { uid: 'other' },
      'it is another one of this name, with uid other',
    ],
  ])('%s', (_, request, change, why) => {
    expect(objection(anObject(change), request)).toBe(why);
  });

  test('anything when it is gone', () => {
    expect(objection(undefined, requestOf('delete'))).toBe('it does not exist');
  });
});

describe('a request for which a BareMetalHost asks is too early', () => {
  test.each<[string, HostRequest, Change, ProvisioningState]>([
    ['to deploy', requestOf('deploy', { image: IMAGE }), withImage('available'), 'provisioning'],
    ['to undeploy', requestOf('undeploy'), withImage('provisioned', OTHER), 'deprovisioning'],
    ['to undeploy a failed deployment', requestOf('undeploy'), withImage('provisioning', OTHER), 'deprovisioning'],
    ['to change volumes', requestOf('prepare'), withImage('inspecting'), 'preparing'],
  ])('%s, until its status says so', (_, request, change, state) => {
    const host = anObject(change);
    expect(objection(host, request)).toBeUndefined();
    expect(tooEarly(host, request)).toBe(`its status does not show '${state}' yet`);
    expect(tooEarly(anObject({ ...change, state, status: {} }), request)).toBeUndefined();
  });

  test.each<HostRequest['name']>(['register', 'inspect', 'clean', 'power', 'delete'])('never to %s', (name) => {
    expect(tooEarly(anObject(withImage('available')), requestOf(name))).toBeUndefined();
  });
});

describe('a BareMetalHost that is being deprovisioned', () => {
  const leaving = (spec: object, provisioning: object = provisioned): Change => ({
    state: 'deprovisioning',
    spec: { online: true, ...spec },
    status: { provisioning: { state: 'deprovisioning', ID: node.nodeId, ...provisioning } },
  });
  const byMethod = { customDeploy: { method: 'install' } };

  test('asks for what its spec says, beside what its status shows', () => {
    const cloudInit = { name: 'cloud-init', namespace: 'metal' };
    expect(askedAgain(anObject(leaving({ image: IMAGE, userData: cloudInit }, { image: OTHER })))).toEqual({
      desired: { image: IMAGE, userData: cloudInit },
      shown: { url: OTHER.url },
    });
    expect(askedAgain(anObject(leaving(byMethod, byMethod)))).toEqual({
      desired: byMethod,
      shown: { url: '', method: 'install' },
    });
  });

  test.each<[string, Change]>([
    ['it is being deleted', { ...leaving({ image: IMAGE }), deleting: true }],
    ['it is still provisioned', withImage('provisioned')],
  ])('asks for nothing when %s', (_, change) => {
    expect(askedAgain(anObject(change))).toBeUndefined();
  });

  test('says whether the undeployment of its node was begun; its workflow alone is not believed', () => {
    const { nodeId } = node;
    const begun = anObject({ ...leaving({ image: IMAGE }), annotations: { [UNDEPLOYING_ANNOTATION]: nodeId } });
    const isBegun = true;
    expect(isUndeploymentBegun(begun, { nodeId, isBegun })).toBe(true);
    expect(isUndeploymentBegun(begun, { nodeId })).toBe(false);
    expect(isUndeploymentBegun(begun, { nodeId: 'another', isBegun })).toBe(false);
    expect(isUndeploymentBegun(anObject(leaving({ image: IMAGE })), { nodeId, isBegun })).toBe(false);
  });

  test.each([
    [{ image: IMAGE }, true],
    [{ image: OTHER }, false],
    [{}, false],
    [{ image: IMAGE, customDeployMethod: 'install' }, false],
  ])('has asked for %j: %s', (order, expected) => {
    expect(isOfPresentWish(anObject(leaving({ image: IMAGE })), order)).toBe(expected);
  });
});

test('a node is told to abort only while the object asks for that', () => {
  const request = { name: 'abort', order: node } as const;
  expect(objection(anObject({ annotations: { 'temper/abort': '' } }), request)).toBeUndefined();
  expect(objection(anObject(), request)).toBe('nobody asks to abort its operation');
});
