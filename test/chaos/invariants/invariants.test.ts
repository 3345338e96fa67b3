import { describe, expect, test } from 'vitest';
import { urlDigest } from '../../../lab/proxy/told.ts';
import { createForgotten } from '../ends/forgotten.ts';
import { createSetBack } from '../ends/set-back.ts';
import type { Happening } from '../happenings.ts';
import type { Entry, Wish } from '../journal.ts';
import { askedWhenItLeft } from './asked-when-it-left.ts';
import { claimedOnce } from './claimed-once.ts';
import { deployedOnce } from './deployed-once.ts';
import { erasedAsWished } from './erased-as-wished.ts';
import type { Invariant } from './invariant.ts';

/** The invariants find what they are for, in records that were made up. */
type Untimed = Happening extends infer One ? (One extends Happening ? Omit<One, 'at'> : never) : never;

/** What an invariant finds in the happenings, one a second. */
const found = (invariant: Invariant, ...happenings: readonly Untimed[]): readonly string[] =>
  happenings.flatMap((one, at) => invariant.take({ ...one, at: at * 1_000 } as Happening));

const noted = (entry: Entry): Untimed => ({ kind: 'journal', entry });
const wished = (wish: Wish): Untimed => noted({ kind: 'wish', wish });
const answered = (wish: Wish): Untimed => noted({ kind: 'answer', wish, answer: 'done' });
const image = (host: string, url: string | null): Wish => ({
  name: 'change host',
  host,
  spec: { image: url },
  ...(url !== null && { image: url }),
});
const deploy = (server: string, url: string): Untimed => ({
  kind: 'told',
  told: { request: 'deploy', server, host: server, image: urlDigest(url) },
});
const erase = (server: string): Untimed => ({ kind: 'told', told: { request: 'erase', server, host: server } });
const restoredFrom = (from: number): Untimed => noted({ kind: 'etcd restored', from });
const ironicEnded = noted({ kind: 'gap', of: 'ironic' });
const ironicFrom = (from: number): Untimed => noted({ kind: 'ironic put back', from, nodes: [] });
/** The object of a host shows this state and image. */
const shown = (host: string, state: string, url: string): Untimed => ({
  kind: 'stored',
  stored: {
    at: 0,
    receivedAt: 0,
    resource: 'baremetalhosts',
    object: {
      metadata: { name: host, uid: host, resourceVersion: '1', finalizers: [], annotations: {} },
      status: { provisioning: { ID: 'node', state, image: { url } } },
    },
  },
});

describe('an image that is deployed twice', () => {
  test('is found', () => {
    expect(found(deployedOnce(), deploy('a', 'x'), erase('a'), deploy('a', 'x'))).toHaveLength(1);
    expect(found(deployedOnce(), deploy('a', 'x'), deploy('b', 'x'))).toHaveLength(1);
  });

  test('is right when the image was put back meanwhile', () => {
    const putBack = wished(image('a', 'x'));
    expect(found(deployedOnce(), putBack, deploy('a', 'x'), erase('a'), putBack, deploy('a', 'x'))).toEqual([]);
    expect(found(deployedOnce(), putBack, deploy('a', 'x'), erase('a'), deploy('a', 'x'))).toHaveLength(1);
  });

  test('is right when the objects do not know the first time any more, or Ironic ended meanwhile', () => {
    expect(found(deployedOnce(), deploy('a', 'x'), restoredFrom(-1_000), deploy('a', 'x'))).toEqual([]);
    expect(found(deployedOnce(), deploy('a', 'x'), restoredFrom(500), deploy('a', 'x'))).toHaveLength(1);
    // What the server got instead is lost with its wish.
    const instead = [erase('a'), deploy('a', 'y'), restoredFrom(500)];
    expect(found(deployedOnce(), deploy('a', 'x'), ...instead, erase('a'), deploy('a', 'x'))).toEqual([]);
    expect(found(deployedOnce(), deploy('a', 'x'), ...instead, deploy('b', 'x'))).toHaveLength(1);
    expect(found(deployedOnce(), deploy('a', 'x'), ironicEnded, deploy('a', 'x'))).toEqual([]);
  });

  test('is found when it was done before Ironic ended, was put back, or lost what it knew', () => {
    const done = [deploy('a', 'x'), shown('a', 'provisioned', 'x')];
    expect(found(deployedOnce(), ...done, ironicEnded, deploy('a', 'x'))).toHaveLength(1);
    expect(found(deployedOnce(), ...done, ironicEnded, ironicFrom(-1_000), deploy('a', 'x'))).toHaveLength(1);
  });

  test.each<readonly [string, Untimed]>([
    ['still shows it as going on', shown('a', 'provisioning', 'x')],
    ['shows another image', shown('a', 'provisioned', 'y')],
    ['is another host', shown('b', 'provisioned', 'x')],
  ])('is right after the end of Ironic when the host %s', (_, other) => {
    const happenings = [deploy('a', 'x'), other, ironicEnded, ironicFrom(-1_000), deploy('a', 'x')];
    expect(found(deployedOnce(), ...happenings)).toEqual([]);
  });

  test('is right after the end of Ironic when the host showed the image only before the deployment', () => {
    const again = [shown('a', 'provisioned', 'x'), deploy('a', 'x'), ironicEnded, deploy('a', 'x')];
    expect(found(deployedOnce(), ...again)).toEqual([]);
  });
});

describe('what was told to a server of the fixture', () => {
  const undone = (...happenings: readonly Untimed[]) => {
    const setBack = createSetBack();
    for (const [at, one] of happenings.entries()) setBack.take({ ...one, at: at * 1_000 } as Happening);
    return setBack.undone('a');
  };

  test('is undone when etcd was restored to the time before, until the server is told something', () => {
    expect(undone(deploy('a', 'x'), erase('a'), restoredFrom(500))).toBe('erase');
    expect(undone(deploy('a', 'x'), erase('a'), restoredFrom(500), erase('a'))).toBeUndefined();
    expect(undone(deploy('a', 'x'), erase('a'), restoredFrom(1_500))).toBeUndefined();
    expect(undone(deploy('a', 'x'), restoredFrom(500))).toBeUndefined();
    expect(undone(erase('a'), deploy('a', 'x'), restoredFrom(500))).toBe('deploy');
  });
});

describe('a node that is left in Ironic', () => {
  const stored = (uid: string): Untimed => ({
    kind: 'stored',
    stored: {
      at: 0,
      receivedAt: 0,
      resource: 'baremetalhosts',
      object: { metadata: { name: 'a', uid, resourceVersion: '1', finalizers: [], annotations: {} } },
    },
  });
  const isForgotten = (...happenings: readonly Untimed[]): boolean => {
    const forgotten = createForgotten();
    for (const [at, one] of happenings.entries()) forgotten.take({ ...one, at: at * 1_000 } as Happening);
    return forgotten.has('a');
  };

  test('is right only when its host was created after the copy of etcd that was restored, and not again', () => {
    expect(isForgotten(stored('1'), restoredFrom(-1_000))).toBe(true);
    expect(isForgotten(stored('1'), restoredFrom(500))).toBe(false);
    expect(isForgotten(stored('1'), stored('2'), restoredFrom(500))).toBe(true);
    expect(isForgotten(stored('1'), restoredFrom(-1_000), stored('2'))).toBe(false);
  });
});

describe('an erasure', () => {
  const wanted = [wished(image('a', 'x')), deploy('a', 'x')];

  test('is found when nobody wants anything else', () => {
    expect(found(erasedAsWished(), ...wanted, erase('a'))).toHaveLength(1);
    expect(found(erasedAsWished(), wished(image('a', null)), ...wanted, erase('a'))).toHaveLength(1);
    expect(found(erasedAsWished(), ...wanted, wished(image('b', null)), erase('a'))).toHaveLength(1);
  });

  test.each<readonly [string, Wish]>([
    ['another image', image('a', 'y')],
    ['no image', image('a', null)],
    ['that the host goes', { name: 'delete host', host: 'a' }],
  ])('is right when somebody wants %s', (_, wish) => {
    expect(found(erasedAsWished(), ...wanted, wished(wish), erase('a'))).toEqual([]);
  });

  test('for a machine is right when the machine is deleted', () => {
    const created = wished({ name: 'create machine', machine: 'm', image: 'x' });
    const deleted = wished({ name: 'delete machine', machine: 'm' });
    expect(found(erasedAsWished(), created, deploy('a', 'x'), deleted, erase('a'))).toEqual([]);
    expect(found(erasedAsWished(), created, deploy('a', 'x'), erase('a'))).toHaveLength(1);
  });

  test('is found when the wish for it was lost with what etcd knew', () => {
    const gone = image('a', null);
    const lost = [wished(gone), answered(gone), restoredFrom(1_500)];
    expect(found(erasedAsWished(), ...wanted, ...lost, erase('a'))).toHaveLength(1);
    expect(found(erasedAsWished(), ...wanted, wished(gone), restoredFrom(1_500), answered(gone), erase('a'))).toEqual(
      [],
    );
  });

  test('that was begun is finished although the wish for it was lost with what etcd knew, and no other one is', () => {
    const gone = image('a', null);
    const begun = [...wanted, wished(gone), answered(gone), erase('a'), restoredFrom(1_500)];
    expect(found(erasedAsWished(), ...begun, erase('a'))).toEqual([]);
    expect(found(erasedAsWished(), ...begun, erase('a'), erase('a'))).toHaveLength(1);
    expect(found(erasedAsWished(), ...begun, deploy('a', 'x'), erase('a'))).toHaveLength(1);
  });

  describe('after Ironic was put back, or lost its database,', () => {
    test('is right when Ironic has forgotten the deployment, and it was not done', () => {
      expect(found(erasedAsWished(), ...wanted, ironicFrom(500), erase('a'))).toEqual([]);
      const others = [shown('a', 'provisioning', 'x'), shown('b', 'provisioned', 'x'), shown('a', 'provisioned', 'y')];
      expect(found(erasedAsWished(), ...wanted, ...others, ironicFrom(500), erase('a'))).toEqual([]);
    });

    test('is found when the deployment was done', () => {
      const done = [...wanted, shown('a', 'provisioned', 'x')];
      expect(found(erasedAsWished(), ...done, ironicFrom(500), erase('a'))).toHaveLength(1);
    });

    test('is found when Ironic knows the deployment, or only ended', () => {
      expect(found(erasedAsWished(), ...wanted, ironicFrom(1_500), erase('a'))).toHaveLength(1);
      expect(found(erasedAsWished(), ...wanted, ironicEnded, erase('a'))).toHaveLength(1);
    });

    test('is found once the image was deployed anew', () => {
      expect(found(erasedAsWished(), ...wanted, ironicFrom(500), deploy('a', 'x'), erase('a'))).toHaveLength(1);
    });
  });

  const creation = (spec: object): Wish => ({ name: 'create host', host: 'a', spec });
  const created = creation({ externallyProvisioned: true });
  const external = wished(created);

  test('of an externally provisioned host is found, whatever image or deletion is wanted', () => {
    expect(found(erasedAsWished(), external, erase('a'))).toHaveLength(1);
    expect(found(erasedAsWished(), external, wished(image('a', 'y')), erase('a'))).toHaveLength(1);
    expect(found(erasedAsWished(), external, wished(image('a', 'y')), deploy('a', 'y'))).toHaveLength(1);
    expect(found(erasedAsWished(), external, wished({ name: 'delete host', host: 'a' }), erase('a'))).toHaveLength(1);
  });

  test('of a host that is not, or no longer, externally provisioned is right', () => {
    expect(found(erasedAsWished(), wished(creation({})), erase('a'))).toEqual([]);
    expect(found(erasedAsWished(), external, erase('b'))).toEqual([]);
    const changed = wished({ name: 'change host', host: 'a', spec: { externallyProvisioned: false } });
    expect(found(erasedAsWished(), external, changed, erase('a'))).toEqual([]);
    expect(found(erasedAsWished(), external, wished(creation({})), erase('a'))).toEqual([]);
    const lost = [wished(image('b', 'y')), wished(created), answered(created), restoredFrom(500)];
    expect(found(erasedAsWished(), ...lost, erase('a'))).toEqual([]);
  });

  test('a deployment that nobody wants is found as well', () => {
    expect(found(erasedAsWished(), deploy('a', 'x'))).toHaveLength(1);
  });
});

describe('what reaches Ironic', () => {
  interface Shown {
    readonly image?: string;
    readonly has?: string;
    readonly online?: boolean;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly at?: number;
  }
  /** The host is marked with a request while it looks like this. */
  const marked = (request: string, { image: url, has, online = true, at = 0, ...metadata }: Shown): Untimed => ({
    kind: 'marked',
    marked: {
      mark: { text: '', request, nodeId: 'node', at: new Date(at).toISOString() },
      object: {
        metadata: { name: 'a', uid: 'a', resourceVersion: '1', finalizers: [], annotations: {}, ...metadata },
        spec: { online, externallyProvisioned: false, ...(url !== undefined && { image: { url } }) },
        status: {
          provisioning: {
            ID: 'node',
            state: has === undefined ? 'available' : 'provisioned',
            ...(has !== undefined && { image: { url: has } }),
          },
        },
      },
    },
  });
  const left = (target: string, url?: string): Untimed => ({
    kind: 'left',
    left: { target, node: 'node', host: 'a', ...(url !== undefined && { image: urlDigest(url) }) },
  });
  const judged = (...happenings: readonly Untimed[]): readonly string[] => found(askedWhenItLeft(), ...happenings);
  const apiServerEnded = noted({ kind: 'gap', of: 'kube-apiserver' });

  test.each<readonly [string, Untimed, Untimed]>([
    ['an erasure of what the host asks for', marked('deleted', { image: 'x', has: 'x' }), left('deleted', 'x')],
    ['a deployment of another image', marked('active', { image: 'y' }), left('active', 'x')],
    ['a deployment of no image', marked('active', {}), left('active', 'x')],
    ['a deployment of a host that goes', marked('active', { image: 'x', deletionTimestamp: 'T' }), left('active', 'x')],
    ['a power-off of a host that is online', marked('power off', { has: 'x' }), left('soft power off')],
    ['what is marked as something else', marked('active', { image: 'x' }), left('deleted', 'x')],
  ])('is found when it is %s', (_, mark, request) => {
    expect(judged(mark, request)).toHaveLength(1);
  });

  test.each<readonly [string, Untimed, Untimed]>([
    ['an erasure for no image', marked('deleted', { has: 'x' }), left('deleted', 'x')],
    ['an erasure for another one', marked('deleted', { image: 'y', has: 'x' }), left('deleted', 'x')],
    [
      'an erasure that was begun',
      marked('deleted', { image: 'x', has: 'x', annotations: { 'temper/undeploying': 'node' } }),
      left('deleted', 'x'),
    ],
    [
      'an erasure of a host that goes',
      marked('deleted', { image: 'x', has: 'x', deletionTimestamp: 'T' }),
      left('deleted'),
    ],
    ['a deployment that is asked for', marked('active', { image: 'x' }), left('active', 'x')],
    ['a power-off', marked('power off', { online: false }), left('power off')],
    ['a reboot', marked('power off', { annotations: { 'reboot.metal3.io': '' } }), left('soft power off')],
  ])('is right when it is %s', (_, mark, request) => {
    expect(judged(mark, request)).toEqual([]);
  });

  test('is found when two requests follow one mark, or none', () => {
    const mark = marked('active', { image: 'x' });
    expect(judged(mark, left('active', 'x'), left('active', 'x'))).toHaveLength(1);
    expect(judged(mark, mark, left('active', 'x'), left('active', 'x'))).toHaveLength(1);
    expect(judged(mark, left('active', 'x'), mark, left('active', 'x'))).toEqual([]);
    expect(judged(left('active', 'x'))).toHaveLength(1);
  });

  test('is not judged when the API server ended, which may have lost the write of the mark', () => {
    expect(judged(apiServerEnded, left('active', 'x'))).toEqual([]);
    expect(judged(apiServerEnded, marked('active', { at: -1 }), left('active', 'x'))).toEqual([]);
    expect(judged(apiServerEnded, marked('active', { at: 1_000 }), left('active', 'x'))).toHaveLength(1);
  });
});

describe('a claim', () => {
  let version = 0;
  const claim = (host: string, machine?: string): Untimed => {
    version += 1;
    const metadata = { name: host, uid: host, resourceVersion: `${version}`, finalizers: ['f'], annotations: {} };
    const wish = { online: true, externallyProvisioned: false };
    const spec = machine === undefined ? wish : { ...wish, consumerRef: { name: machine } };
    return { kind: 'stored', stored: { at: 0, receivedAt: 0, resource: 'baremetalhosts', object: { metadata, spec } } };
  };

  test('of a host that is taken, or for a machine that has a host, is found', () => {
    expect(found(claimedOnce(), claim('a', 'm'), claim('a', 'n'))).toHaveLength(1);
    expect(found(claimedOnce(), claim('a', 'm'), claim('b', 'm'))).toHaveLength(1);
  });

  test('is found although Ironic ended meanwhile, but not when the API server did, which may have released it', () => {
    expect(found(claimedOnce(), claim('a', 'm'), ironicEnded, ironicFrom(-1_000), claim('a', 'n'))).toHaveLength(1);
    const ended = noted({ kind: 'gap', of: 'kube-apiserver' });
    expect(found(claimedOnce(), claim('a', 'm'), ended, claim('a', 'n'))).toEqual([]);
  });

  test('after a release is right', () => {
    expect(found(claimedOnce(), claim('a', 'm'), claim('a'), claim('b', 'm'), claim('a', 'n'))).toEqual([]);
  });
});
