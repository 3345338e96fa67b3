import { describe, expect, test } from 'vitest';
import { compared } from '../compared.ts';
import type { RecordedRequest } from '../requests.ts';
import type { TemperPhase } from '../temper-life.ts';
import { type IronicLife, ironicFigures, ironicTargets } from './figures.ts';
import { countNodeReads } from './node-reads.ts';

const request = (at: number, kind: string, node: string, target?: string): RecordedRequest => ({
  at: new Date(at).toISOString(),
  method: 'PUT',
  path: '',
  kind,
  node,
  ...(target !== undefined && { target }),
  status: 202,
  milliseconds: 1,
});

test('reads of nodes are counted beside the requests that disturb their machines', () => {
  const requests = [
    request(3, 'provision', 'a', 'active'),
    request(1, 'get node', 'a'),
    request(2, 'get node', 'b'),
    request(4, 'provision', 'a', 'deleted'),
    request(5, 'provision', 'b', 'manage'),
    request(6, 'power', 'b', 'power on'),
    request(7, 'delete node', 'b'),
  ];
  expect(countNodeReads(requests)).toEqual({ disturbing: 3, afterRead: 2, reads: 2 });
});

describe('the life on real Ironic', () => {
  const phase = (seconds: number): TemperPhase => ({ seconds, requests: { total: 0, shared: 0, kinds: {} }, cpu: {} });
  const life = (seconds: number, own: number, afterRead: number): IronicLife => ({
    available: phase(seconds),
    provisioned: phase(seconds),
    availableAgain: phase(seconds),
    gone: phase(seconds),
    requestsPerHost: 24,
    ownRequestsPerHost: own,
    cpu: { bridge: 4 },
    nodeReads: { disturbing: 10, afterRead, reads: 12 },
  });
  const verdicts = (here: IronicLife, other: IronicLife) =>
    ironicTargets(compared([ironicFigures(here, 2)], [ironicFigures(other, 2)])).map(({ measured, met }) => [
      measured,
      met,
    ]);

  test('may take a tenth longer than that of another checkout, and 16 requests', () => {
    expect(verdicts(life(11, 16, 10), life(10, 20, 0))).toEqual([
      ['1.10 times', true],
      ['16.0', true],
      ['0.0', true],
    ]);
  });

  test('misses its targets otherwise', () => {
    expect(verdicts(life(12, 16.1, 9), life(10, 16, 10))).toEqual([
      ['1.20 times', false],
      ['16.1', false],
      ['1.0', false],
    ]);
  });
});
