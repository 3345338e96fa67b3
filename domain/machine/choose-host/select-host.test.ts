import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aHostFact, CONSUMER } from '../../../test/builders/machine.ts';
import type { HostFacts } from './host-facts.ts';
import { type Candidate, type Criteria, couldTake, isFree, selectHost } from './select-host.ts';

const machine = { namespace: 'metal', name: 'm3m-1' };
const anyHost: Criteria = { machine };
const choose = (hosts: readonly Candidate[], criteria: Partial<Criteria> = {}, dice = 0) =>
  selectHost(hosts, { ...anyHost, ...criteria }, dice);
const chosen = (...rest: Parameters<typeof choose>): string => {
  const choice = choose(...rest);
  return choice.kind === 'chosen'
    ? choice.host.name
    : choice.kind === 'none'
      ? `none: ${choice.reason}`
      : choice.message;
};
const named = (name: string, change: Partial<Candidate> = {}): Candidate => ({
  ...aHostFact(),
  name,
  uid: name,
  ...change,
});
const reuse = (value: string): Pick<HostFacts, 'labels' | 'consumer'> => ({
  labels: { 'infrastructure.cluster.x-k8s.io/node-reuse': value },
  consumer: { kind: 'Cluster', name: 'test1', namespace: 'metal', apiVersion: 'cluster.x-k8s.io/v1beta2' },
});
const inDomain = (name: string, domain: string): Candidate =>
  named(name, { labels: { 'infrastructure.cluster.x-k8s.io/failure-domain': domain } });

describe('a machine that looks for a host', () => {
  test('takes one that is available, or ready as older hosts say', () => {
    expect(chosen([named('a')])).toBe('a');
    expect(chosen([named('a', { state: 'ready' })])).toBe('a');
  });
  test('takes any of those that are fit, by the dice', () => {
    const hosts = [named('a'), named('b'), named('c')];
    expect([0, 0.34, 0.67, 0.999].map((dice) => chosen(hosts, {}, dice))).toEqual(['a', 'b', 'c', 'c']);
  });
  test('takes none of another namespace', () => {
    expect(chosen([named('a', { namespace: 'other' })])).toBe('none: there are no hosts in this namespace');
  });
  test('chooses its own host, before all others and in any state', () => {
    const own = named('own', { consumer: CONSUMER, state: 'provisioned', paused: '', labels: {} });
    expect(chosen([named('a'), own], { hostSelector: { matchLabels: { rack: '1' } } })).toBe('own');
  });
  test('knows its own by name, namespace, kind and group, in whatever version', () => {
    const own = { ...CONSUMER, apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1' };
    expect(chosen([named('a', { consumer: own })])).toBe('a');
    for (const other of [
      { ...CONSUMER, name: 'm3m-2' },
      { ...CONSUMER, namespace: 'other' },
      { ...CONSUMER, kind: 'Server' },
      { ...CONSUMER, apiVersion: 'example.com/v1beta2' },
      { ...CONSUMER, apiVersion: 'v1' },
    ]) {
      expect(chosen([named('a', { consumer: other })])).toBe('none: 1 host: 1 taken');
    }
  });
  test('takes none that is taken, being deleted, in error, paused, unhealthy, detached, promised or in another state', () => {
    const obstacles: readonly [Partial<Candidate>, string][] = [
      [{ consumer: { kind: 'Server', name: 'x' } }, 'taken'],
      [{ deleting: true }, 'being deleted'],
      [{ errorMessage: 'broken' }, 'in error'],
      [{ paused: '' }, 'paused'],
      [{ paused: 'metal3.io/capm3' }, 'paused'],
      [{ unhealthy: true }, 'unhealthy'],
      [{ heldBack: 'in quarantine' }, 'in quarantine'],
      [{ heldBack: 'parked' }, 'parked'],
      [{ detached: true }, 'detached'],
      [{ externallyProvisioned: true }, 'externally provisioned'],
      [{ promised: true }, 'taken'],
      [{ hasImage: true }, 'in use without a consumer'],
      [{ hasCustomDeploy: true }, 'in use without a consumer'],
      [{ state: '' }, 'not available (new)'],
      ...['unmanaged', 'registering', 'match profile', 'inspecting', 'preparing', 'provisioning', 'provisioned'].map(
        (state): [Partial<Candidate>, string] => [{ state }, `not available (${state})`],
      ),
      ...['externally provisioned', 'deprovisioning', 'powering off before delete', 'deleting', 'odd'].map(
        (state): [Partial<Candidate>, string] => [{ state }, `not available (${state})`],
      ),
    ];
    for (const [change, words] of obstacles) {
      expect(chosen([named('a', change)])).toBe(`none: 1 host: 1 ${words}`);
      expect(chosen([named('a', change), named('b')])).toBe('b');
      expect(isFree(named('a', change)), words).toBe(false);
    }
    expect(isFree(named('a'))).toBe(true);
  });
  test('says how many hosts there are and why each kind of them is not taken, the commonest first', () => {
    const hosts = [
      named('a', { consumer: { kind: 'Server', name: 'x' } }),
      named('b', { state: 'provisioning' }),
      named('c', { consumer: { kind: 'Server', name: 'y' } }),
    ];
    expect(chosen(hosts)).toBe('none: 3 hosts: 2 taken, 1 not available (provisioning)');
  });
});

describe('a machine with a hostSelector', () => {
  const hosts = [named('a', { labels: { rack: '1' } }), named('b', { labels: { rack: '2' } }), named('c')];
  const selecting = (hostSelector: NonNullable<Criteria['hostSelector']>): string => chosen(hosts, { hostSelector });
  const where = (operator: string, ...values: string[]): string =>
    selecting({ matchExpressions: [{ key: 'rack', operator, values }] });

  test('takes a host with all of the labels', () => {
    expect(selecting({ matchLabels: { rack: '2' } })).toBe('b');
    expect(selecting({ matchLabels: { rack: '2', row: '1' } })).toBe("none: 3 hosts: 3 don't match hostSelector");
  });
  test('understands each operator, in any case of letters', () => {
    for (const [operator, values, name] of [
      ['In', ['2', '3'], 'b'],
      ['in', ['2'], 'b'],
      ['NOTIN', ['1', '2'], 'c'],
      ['NotIn', ['1'], 'b'],
      ['=', ['2'], 'b'],
      ['==', ['2'], 'b'],
      ['!=', ['1'], 'b'],
      ['Exists', [], 'a'],
      ['DoesNotExist', [], 'c'],
      ['!', [], 'c'],
      ['Gt', ['1'], 'b'],
      ['lt', ['2'], 'a'],
    ] as const) {
      expect(where(operator, ...values), operator).toBe(name);
    }
  });
  test('takes a host within a range, which two rules for one label describe', () => {
    const range = {
      matchExpressions: [1, 3].map((n) => ({ key: 'rack', operator: n === 1 ? 'Gt' : 'Lt', values: [`${n}`] })),
    };
    expect(selecting(range)).toBe('b');
  });
  test('does not compare what is no number', () => {
    const odd = [named('a', { labels: { rack: 'x' } })];
    const hostSelector = { matchExpressions: [{ key: 'rack', operator: 'Gt', values: ['1'] }] };
    expect(chosen(odd, { hostSelector })).toBe("none: 1 host: 1 don't match hostSelector");
  });
  test('that is invalid says what is wrong with it', () => {
    expect(where('Near', '1')).toMatch(/^operator: Unsupported value: "near": supported values: "in", /);
    expect(selecting({ matchLabels: { x: '-' } })).toMatch(
      /^values\[0\]\[x\]: Invalid value: "-": a valid label must be /,
    );
  });
  test('is woken for no host that it would not take', () => {
    const criteria: Criteria = { machine, hostSelector: { matchLabels: { rack: '1' } } };
    expect(hosts.map((host) => couldTake(host, criteria))).toEqual([true, false, false]);
    expect(couldTake({ ...named('a'), namespace: 'other' }, anyHost)).toBe(false);
    expect(couldTake(named('a'), { machine, hostSelector: { matchLabels: { '-': '' } } })).toBe(false);
  });
});

describe('a machine with a failure domain', () => {
  const hosts = [inDomain('a', 'east'), inDomain('b', 'west'), inDomain('c', 'west'), named('d')];
  test('takes a host of it, any of them', () => {
    expect([0, 0.99].map((dice) => chosen(hosts, { failureDomain: 'west' }, dice))).toEqual(['b', 'c']);
  });
  test('takes any other when there is none in it', () => {
    expect(chosen(hosts, { failureDomain: 'north' }, 0.99)).toBe('d');
  });
});

describe('hosts that are kept for machines of one kind', () => {
  const kept = named('kept', reuse('md-workers'));
  test('go to these before any other, although the Cluster has them', () => {
    expect(choose([named('a'), kept], { reuse: 'md-workers' })).toMatchObject({
      host: { name: 'kept' },
      viaReuse: true,
    });
  });
  test('go to no other machine', () => {
    expect(chosen([kept], { reuse: 'cp-workers' })).toBe('none: 1 host: 1 reserved for other machines');
    expect(chosen([kept])).toBe('none: 1 host: 1 reserved for other machines');
    expect(chosen([kept, named('a')], { reuse: 'cp-workers' })).toBe('a');
  });
  test('are waited for while they are being deprovisioned, even if others are free', () => {
    const coming = named('kept', { ...reuse('md-workers'), state: 'deprovisioning' });
    expect(chosen([named('a'), coming], { reuse: 'md-workers' })).toBe(
      'none: host kept is reserved for this machine and is not available yet (deprovisioning)',
    );
  });
  test('are taken as soon as one is free, whatever the others of them do', () => {
    const coming = named('coming', { ...reuse('md-workers'), state: 'deprovisioning' });
    expect(chosen([coming, kept], { reuse: 'md-workers' })).toBe('kept');
  });
  test('are not waited for when a person has to fix them first', () => {
    const broken = named('kept', { ...reuse('md-workers'), errorMessage: 'broken' });
    expect(chosen([named('a'), broken], { reuse: 'md-workers' })).toBe('a');
  });
  test('are in use all the same when a machine has them', () => {
    const used = named('kept', { ...reuse('md-workers'), consumer: { ...CONSUMER, name: 'm3m-2' } });
    expect(chosen([used], { reuse: 'md-workers' })).toBe('none: 1 host: 1 taken');
  });
  test('go to any machine once the Cluster is gone, but first to those for which they were reserved', () => {
    const abandoned: Candidate = { ...kept, abandoned: true };
    expect(choose([abandoned], { reuse: 'cp-workers' })).toMatchObject({ host: { name: 'kept' }, viaReuse: false });
    expect(couldTake(abandoned, anyHost)).toBe(true);
    expect(chosen([named('a'), abandoned], { reuse: 'md-workers' })).toBe('kept');
    expect(chosen([{ ...abandoned, state: 'deprovisioning' }])).toBe('none: 1 host: 1 not available (deprovisioning)');
    expect(chosen([{ ...abandoned, consumer: { ...CONSUMER, name: 'm3m-2' } }])).toBe('none: 1 host: 1 taken');
  });
  test('are taken from the failure domain first', () => {
    const far = named('far', reuse('md-workers'));
    const near = named('near', {
      ...reuse('md-workers'),
      labels: { ...reuse('md-workers').labels, 'infrastructure.cluster.x-k8s.io/failure-domain': 'west' },
    });
    expect(chosen([far, near], { reuse: 'md-workers', failureDomain: 'west' })).toBe('near');
  });
  test('count as free while nothing else is wrong with them', () => {
    expect(isFree(kept)).toBe(true);
  });
});

test('whatever hosts there are, what is chosen could be taken, and none is chosen only if none could be', () => {
  const hostOf = fc.record({
    state: fc.constantFrom('available', 'ready', 'provisioned', 'deprovisioning'),
    deleting: fc.boolean(),
    errorMessage: fc.constantFrom('', 'broken'),
    consumer: fc.constantFrom(undefined, CONSUMER, { kind: 'Cluster', name: 'c' }, { kind: 'Server', name: 's' }),
    labels: fc.constantFrom({}, reuse('md-a').labels, reuse('md-b').labels),
    promised: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(hostOf), fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (changes, dice) => {
      const hosts = changes.map(({ consumer, ...rest }, index) =>
        named(`h${index}`, { ...rest, ...(consumer && { consumer }) }),
      );
      const criteria: Criteria = { machine, reuse: 'md-a' };
      const choice = selectHost(hosts, criteria, dice);
      const isFit = (host: Candidate): boolean => host.consumer === CONSUMER || couldTake(host, criteria);
      const isOwn = ({ consumer }: Candidate): boolean => consumer === CONSUMER;
      const isWellChosen =
        choice.kind === 'chosen'
          ? isFit(choice.host)
          : !hosts.some((host) => isOwn(host) || (isFit(host) && !waits(hosts)));
      expect(isWellChosen).toBe(true);
    }),
  );
});

/** A host that is reserved for md-a will become available soon. */
const waits = (hosts: readonly Candidate[]): boolean =>
  hosts.some(
    (host) =>
      host.labels['infrastructure.cluster.x-k8s.io/node-reuse'] === 'md-a' &&
      !['available', 'ready'].includes(host.state),
  );
