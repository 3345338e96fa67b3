import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cachedBundle } from '../../workers/bundle.ts';
import { openReplayer, type Recorded, type Replayer } from './replayer.ts';
import { endsInCancelledTimer, overlong, type RecordedHistory, wordless } from './wordless.ts';

/**
 * The code must produce the same commands as the recorded histories, because runs that live for years continue with new
 * code.
 */
const FOLDER = fileURLToPath(new URL('histories', import.meta.url));

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const files = (await readdir(FOLDER, { recursive: true })).filter((file) => file.endsWith('.json')).toSorted();

const read = async (file: string): Promise<Recorded> =>
  JSON.parse(await readFile(join(FOLDER, file), 'utf8')) as Recorded;

let code: string;
let replayer: Replayer;
beforeAll(async () => {
  ({ code } = await cachedBundle());
  replayer = openReplayer({ workflowBundle: { code } });
});
afterAll(() => replayer?.close());

const replay = (recorded: Recorded): Promise<void> => replayer.replay(recorded);

test('the bundle has no character that makes V8 keep it in twice the memory', () => {
  const others = [...new Set(code)].filter((character) => character.charCodeAt(0) > 127);
  expect(others).toEqual([]);
});

test('the bundle names the files of its sources, without their texts', () => {
  const [, map = ''] = /\/\/# sourceMappingURL=data:\S*;base64,(\S+)/.exec(code) ?? [];
  const read = JSON.parse(Buffer.from(map, 'base64').toString()) as { readonly sources: readonly string[] };
  expect(read.sources.some((source) => source.endsWith('/workflows/index.ts'))).toBe(true);
  expect(read).not.toHaveProperty('sourcesContent');
});

describe('the history of', () => {
  test.each(files)('%s is what the code would do', async (file) => {
    await replay(await read(file));
  });
});

/**
 * After a restart of the workers, a workflow task may be replayed at the time of another one
 * (https://github.com/temporalio/sdk-rust/issues/1146).
 */
describe('an hour later, the history of', () => {
  const stories = /-(life|slots|failed-deployment|node-deleted|ended-operation|cluster|machine-lost)-/;
  test.each(files.filter((file) => stories.test(file)))('%s is what the code would do, too', async (file) => {
    const { workflowId, history } = await read(file);
    await replay({ workflowId, history: anHourLater(history) });
  });
});

const anHourLater = ({ events }: RecordedHistory): RecordedHistory => ({
  events: events.map((event) => ({
    ...event,
    eventTime: new Date(Date.parse(String(event['eventTime'])) + 3_600_000).toISOString(),
  })),
});

describe('the recordings', () => {
  test('hold the stories that matter', () => {
    const stories = [
      'life',
      'wrong-password',
      'missing-secret',
      'failed-deployment',
      'workers-killed',
      'sixty-operations',
      'machine-paused',
      'machine-kept-new',
      'rebooted',
      'handed-over',
      'cluster',
      'pools',
      'pools-refused',
      'discovered',
      'machine-api',
      'machine-api-remediated',
      'machine-api-2019',
      'machine-api-actuator',
      'machine-api-by-metal3',
      'retried',
      'machine-set',
    ];
    expect(stories.filter((story) => !files.some((file) => file.includes(`-${story}-`)))).toEqual([]);
  });

  test('are there for every workflow', async () => {
    const index = await readFile(join(ROOT, 'workflows', 'index.ts'), 'utf8');
    const workflows = [...index.matchAll(/export \{ (\w+) \}/g)].map(([, name]) => name ?? '');
    expect(workflows).toContain('lockWorkflow');
    expect(workflows.filter((name) => !files.some((file) => file.startsWith(`${name}/`)))).toEqual([]);
  });

  test('say in words what every child, activity and timer is', async () => {
    const silent: string[] = [];
    for (const file of files) silent.push(...wordless((await read(file)).history).map((what) => `${file}: ${what}`));
    expect(silent).toEqual([]);
  });

  test('say it in at most 80 characters, and no machine ends in a cancelled timer', async () => {
    const long: string[] = [];
    const cancelled: string[] = [];
    for (const file of files) {
      const { history } = await read(file);
      if (overlong(history).length > 0) long.push(file.split('/').at(-1) ?? '');
      if (/machine\w*Workflow\//i.test(file) && endsInCancelledTimer(history)) cancelled.push(file);
    }
    expect(long).toEqual([]);
    expect(cancelled).toEqual([]);
  });
});

describe('replay', () => {
  test('fails when two commands of a workflow change places', async () => {
    const file = files.find((one) => one.startsWith('provisionWorkflow/') && one.includes('-life-'));
    if (file === undefined) throw new Error('there is no recorded provisioning');
    const swapped = code
      .replaceAll('.provideNode(', '.swappedNode(')
      .replaceAll('.deployNode(', '.provideNode(')
      .replaceAll('.swappedNode(', '.deployNode(');
    expect(swapped).not.toBe(code);
    const other = openReplayer({ workflowBundle: { code: swapped } });
    await expect(other.replay(await read(file))).rejects.toThrow(/[Nn]ondeterminism/);
    await other.close();
  });

  test('fails an hour later for code that takes the time for the ticket of a slot', async () => {
    const taking = code.replaceAll(/\(0,\s*\w+\.uuid4\)\(\)/g, 'String(Date.now())');
    expect(taking).not.toBe(code);
    const { workflowId, history } = await read(files.find((file) => /hostWorkflow.*-slots-/.test(file)) ?? '');
    const other = openReplayer({ workflowBundle: { code: taking } });
    await expect(other.replay({ workflowId, history: anHourLater(history) })).rejects.toThrow(/[Nn]ondeterminism/);
    await other.close();
  });
});
