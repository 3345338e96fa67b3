import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AUDIT_FOLDER, auditLogOf } from '../../lab/control-plane/audit.ts';
import { follow } from './happenings.ts';
import { openJournal } from './journal.ts';

let dir: string;
beforeEach(async () => {
  vi.stubEnv(AUDIT_FOLDER, undefined);
  dir = await mkdtemp(join(tmpdir(), 'temper-happenings-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true });
});

const time = (second: number): string => new Date(second * 1_000).toISOString();
const host = (annotations: object) => ({
  metadata: { name: 'host-1', uid: 'u', resourceVersion: '1', annotations },
  spec: { online: true, image: { url: 'http://images/x' } },
  status: { provisioning: { ID: 'node-1', state: 'provisioning' } },
});
/** A line of the audit log: the host was written, or read, between two seconds. */
const audited = (from: number, until: number, annotations: object, verb = 'patch'): object => ({
  verb,
  requestReceivedTimestamp: time(from),
  stageTimestamp: time(until),
  objectRef: { resource: 'baremetalhosts' },
  responseStatus: { code: 200 },
  responseObject: host(annotations),
});
const requested = (at: number, target: string, more: object = {}): object => ({
  at: time(at),
  node: 'node-1',
  kind: 'provision',
  target,
  status: 202,
  ...more,
});
async function write(file: string, lines: readonly object[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

test('a mark comes before its request, once, also where the API server answered late, and refused requests have left too', async () => {
  const mark = { 'temper/request': JSON.stringify({ request: 'active', nodeId: 'node-1', uid: 'u', at: time(1) }) };
  await write(auditLogOf(dir), [audited(1, 3, mark), audited(4, 5, mark), audited(6, 6, { other: 'x' }, 'get')]);
  await write(join(dir, 'proxy', 'requests.jsonl'), [
    requested(2, 'active', { status: 409, injected: true }),
    requested(4, 'active'),
  ]);
  const happenings = await follow(dir, openJournal(join(dir, 'journal.jsonl'))).more();
  expect(happenings.map((one) => [one.at / 1_000, one.kind])).toEqual([
    [1, 'marked'],
    [2, 'left'],
    [3, 'stored'],
    [4, 'left'],
    [4, 'told'],
    [5, 'stored'],
  ]);
  expect(happenings[1]).toMatchObject({ left: { target: 'active', node: 'node-1', host: 'host-1' } });
});
