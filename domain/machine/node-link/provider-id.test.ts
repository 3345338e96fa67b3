import { describe, expect, test } from 'vitest';
import { anyLinkOrder } from '../../../test/builders/link-order.ts';
import type { LinkOrder } from '../memory/link.ts';
import { type KubernetesNode, linkNode } from './provider-id.ts';

const E = 'metal3://metal/host-1/m3m-1';
const LEGACY = 'metal3://host-uid-1';
const order = (change: Partial<LinkOrder> = {}): LinkOrder =>
  anyLinkOrder({ host: { name: 'host-1', uid: 'host-uid-1' }, ...change });
const node = (name: string, change: Partial<KubernetesNode> = {}): KubernetesNode => ({
  name,
  providerID: '',
  ...change,
});
const other = node('other', { providerID: 'metal3://metal/host-2/m3m-2', uuid: 'host-uid-2' });
const LABEL = 'failed to set ProviderID on Metal3Machine based on Node label';
const HOSTNAME = 'unable to find Node by hostname, it may not be ready yet';

describe('a Node that is labelled with the uid of the host', () => {
  const labelled = node('a', { uuid: 'host-uid-1' });
  test('without a providerID gets the one that names namespace, host and machine', () => {
    expect(linkNode([other, labelled], order())).toEqual({
      kind: 'linked',
      node: 'a',
      providerID: E,
      write: true,
      by: 'label',
    });
  });
  test('gets the uid of the host where that format is configured', () => {
    expect(linkNode([labelled], order({ format: 'uid' }))).toMatchObject({ providerID: LEGACY, write: true });
  });
  test('gets the one that the machine has, in either format', () => {
    expect(linkNode([labelled], order({ providerID: LEGACY }))).toMatchObject({ providerID: LEGACY, write: true });
    expect(linkNode([labelled], order({ providerID: E, format: 'uid' }))).toMatchObject({ providerID: E, write: true });
  });
  test('that has one of both forms already keeps it', () => {
    for (const providerID of [E, LEGACY]) {
      const answer = linkNode([{ ...labelled, providerID }], order({ format: providerID === E ? 'uid' : 'names' }));
      expect(answer).toMatchObject({ kind: 'linked', providerID, write: false });
    }
  });
  test('that has a providerID of another machine is refused, by name', () => {
    expect(linkNode([{ ...labelled, providerID: 'aws:///x' }], order())).toEqual({
      kind: 'refused',
      reason: 'CreateError',
      message: `${LABEL}: node using unsupported providerID format: a has aws:///x`,
    });
  });
  test('is waited for while it is not there', () => {
    expect(linkNode([other], order())).toEqual({
      kind: 'absent',
      reason: 'CreateError',
      message: `${LABEL}: could not find node with label: metal3.io/uuid=host-uid-1`,
    });
  });
  test('must be the only one', () => {
    expect(linkNode([labelled, { ...labelled, name: 'b' }], order())).toMatchObject({
      kind: 'refused',
      message: `${LABEL}: found multiple target nodes with the same label: (metal3.io/uuid=host-uid-1): a, b`,
    });
  });
});

describe('a Node whose kubelet was started with the providerID', () => {
  test('is known by it, labelled or not', () => {
    for (const providerID of [E, LEGACY]) {
      expect(linkNode([node('a', { providerID })], order())).toMatchObject({
        kind: 'linked',
        providerID,
        write: false,
      });
    }
  });
});

describe('a machine that has a providerID', () => {
  test('finds its Node by it, whatever the uid of its host is now', () => {
    const moved = order({ providerID: 'metal3://uid-before-the-move', host: { name: 'host-1', uid: 'uid-after' } });
    const old = node('a', { providerID: 'metal3://uid-before-the-move', uuid: 'uid-before-the-move' });
    expect(linkNode([old, other], moved)).toMatchObject({ kind: 'linked', by: 'providerID', write: false });
  });
  test('takes over the form that its Node carries', () => {
    expect(linkNode([node('a', { providerID: LEGACY })], order({ providerID: E }))).toMatchObject({
      providerID: LEGACY,
    });
  });
});

describe('a providerID that two Nodes carry', () => {
  const CASES: readonly [string, readonly KubernetesNode[], string][] = [
    [
      'twice the same',
      [node('a', { providerID: E }), node('b', { providerID: E })],
      `providerID ${E} is in use by multiple nodes: (a, b)`,
    ],
    [
      'once in each form',
      [node('a', { providerID: E }), node('b', { providerID: LEGACY })],
      `providerID (${E}) cannot be used at the same time by node: (a, b)`,
    ],
    [
      'once for another machine on the same host',
      [node('a', { providerID: E }), node('b', { providerID: 'metal3://metal/host-1/m3m-0' })],
      `providerID (${E}) cannot be used at the same time by node: (a, b)`,
    ],
    [
      'once, beside the labelled Node that has none yet',
      [node('a', { providerID: 'metal3://metal/host-1/m3m-0' }), node('b', { uuid: 'host-uid-1' })],
      `providerID (${E}) cannot be used at the same time by node: (a, b)`,
    ],
  ];
  test.each(CASES)('is refused: %s', (_, nodes, message) => {
    expect(linkNode(nodes, order())).toEqual({ kind: 'refused', reason: 'CreateError', message });
  });
  test('does not concern a machine that it is not of', () => {
    const twins = [other, { ...other, name: 'twin' }, node('a', { uuid: 'host-uid-1' })];
    expect(linkNode(twins, order())).toMatchObject({ kind: 'linked', node: 'a' });
  });
});

describe('a Node that carries the uid of the host', () => {
  const left = node('old', { providerID: LEGACY, uuid: 'host-uid-1' });
  const fresh = node('new', { uuid: 'host-uid-1' });
  const CASES: readonly [string, readonly KubernetesNode[], Partial<LinkOrder>, string][] = [
    [
      'beside another one that is labelled with it',
      [left, fresh],
      {},
      `${LABEL}: found multiple target nodes with the same label: (metal3.io/uuid=host-uid-1): old, new`,
    ],
    [
      'beside another one that is labelled with it, where that form is given',
      [fresh, left],
      { format: 'uid' },
      `${LABEL}: found multiple target nodes with the same label: (metal3.io/uuid=host-uid-1): new, old`,
    ],
    [
      'and no label, beside one that is labelled',
      [node('old', { providerID: LEGACY }), fresh],
      { format: 'uid' },
      `providerID (${LEGACY}) cannot be used at the same time by node: (old, new)`,
    ],
    [
      'beside the one that a cloud provider is to give its providerID',
      [left, fresh],
      { cloudProvider: true },
      `${LABEL}: found multiple target nodes with the same label: (metal3.io/uuid=host-uid-1): old, new`,
    ],
    [
      'beside one that is found by its host name',
      [left, node('new', { hostname: 'node-a' })],
      { labelled: false, hostnames: ['node-a'], format: 'uid' },
      `providerID (${LEGACY}) cannot be used at the same time by node: (old, new)`,
    ],
  ];
  test.each(CASES)('may be left from the machine before: refused %s', (_, nodes, change, message) => {
    expect(linkNode([other, ...nodes], order(change))).toEqual({ kind: 'refused', reason: 'CreateError', message });
  });
  test('is that of a machine with this providerID, whatever other Nodes have the label', () => {
    expect(linkNode([left, fresh], order({ providerID: LEGACY }))).toMatchObject({ kind: 'linked', node: 'old' });
  });
  test('is doubted, one that carries the names of the machine is not', () => {
    const named = node('new', { providerID: E });
    expect(linkNode([{ ...fresh, name: 'old' }, named], order())).toMatchObject({ kind: 'linked', node: 'new' });
  });
});

describe('where a cloud provider gives Nodes their providerIDs', () => {
  const cloud = order({ cloudProvider: true });
  test('the machine takes over that of its Node, in either form', () => {
    for (const providerID of [E, LEGACY]) {
      expect(linkNode([other, node('a', { providerID })], cloud)).toEqual({
        kind: 'linked',
        node: 'a',
        providerID,
        write: false,
        by: 'cloud provider',
      });
    }
  });
  test('a Node that has none yet is waited for and never written to', () => {
    expect(linkNode([node('a', { uuid: 'host-uid-1' })], cloud)).toEqual({
      kind: 'absent',
      reason: 'CreateError',
      message:
        'failed to set ProviderID on Metal3Machine based on Cloud Provider Node ProviderID: error retrieving node',
    });
  });
});

describe('a Machine without a bootstrap config, whose Node has no labels', () => {
  const plain = order({ labelled: false, hostnames: ['node-a'] });
  test('has its providerID before its Node is seen', () => {
    expect(linkNode([], plain)).toEqual({
      kind: 'absent',
      reason: 'UpdateError',
      message: `${HOSTNAME}: no Nodes found`,
      providerID: E,
    });
    expect(linkNode([], { ...plain, format: 'uid' })).toMatchObject({ providerID: LEGACY });
  });
  test('finds its Node by its host name and gives it the providerID', () => {
    expect(linkNode([other, node('a', { hostname: 'node-a' })], plain)).toEqual({
      kind: 'linked',
      node: 'a',
      providerID: E,
      write: true,
      by: 'host name',
    });
  });
  test('says what it looks for while there is none, or more than one', () => {
    expect(linkNode([other], plain)).toMatchObject({ message: `${HOSTNAME}: no nodes matching hostnames: node-a` });
    const twins = [node('a', { hostname: 'node-a' }), node('b', { hostname: 'node-a' })];
    expect(linkNode(twins, plain)).toMatchObject({ message: `${HOSTNAME}: multiple nodes matching hostnames: node-a` });
    expect(linkNode([other], { ...plain, hostnames: [] })).toMatchObject({
      message: `${HOSTNAME}: metal3Data Secret not ready`,
    });
  });
  test('takes no Node that has a providerID of another machine', () => {
    expect(linkNode([node('a', { hostname: 'node-a', providerID: 'aws:///x' })], plain)).toEqual({
      kind: 'refused',
      reason: 'UpdateError',
      message: `${HOSTNAME}: a has another providerID: aws:///x`,
    });
  });
  test('takes a Node that is labelled all the same', () => {
    expect(linkNode([node('a', { uuid: 'host-uid-1' })], plain)).toMatchObject({ kind: 'linked', by: 'label' });
  });
});
