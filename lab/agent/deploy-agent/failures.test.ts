import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Failure } from '../../machines/failure.ts';
import { openFailures } from './failures.ts';

const twice: Failure = { kind: 'deploy-step', step: 'write_image', message: 'no', times: 2 };
const always: Failure = { kind: 'clean-step', message: 'never clean' };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-failures-'));
});

afterEach(() => rm(folder, { recursive: true }));

describe('a failure', () => {
  test('happens as often as told, also over a restart', async () => {
    const before = await openFailures(folder, [twice]);
    expect(await before.take('deploy-step', 'write_image')).toEqual(twice);
    const after = await openFailures(folder, [twice]);
    expect(await after.take('deploy-step', 'write_image')).toEqual({ ...twice, times: 1 });
    expect(await after.take('deploy-step', 'write_image')).toBeUndefined();
  });

  test('without a number of times happens for ever', async () => {
    const failures = await openFailures(folder, [always]);
    await failures.take('clean-step', 'erase_devices');
    expect(await failures.take('clean-step', 'erase_devices_metadata')).toEqual(always);
  });

  test('of one step leaves the others alone', async () => {
    const failures = await openFailures(folder, [twice]);
    expect(await failures.take('deploy-step', 'another')).toBeUndefined();
    expect(await failures.take('inspection')).toBeUndefined();
  });

  test('that the lab’s data names anew goes before what was left', async () => {
    await (await openFailures(folder, [twice])).take('deploy-step', 'write_image');
    expect((await openFailures(folder, [twice, always])).list()).toEqual([twice, always]);
  });
});
