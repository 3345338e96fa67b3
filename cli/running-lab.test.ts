import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stateFile } from '../lab/supervisor/state.ts';
import { type ProcessIdentity, processIdentityOf } from '../platform/process-identity.ts';
import { endpointsIn } from './running-lab.ts';

const ENDPOINTS = { kubeconfig: '/lab/kubeconfig', temporalAddress: '127.0.0.1:17233', temporalCli: '/cache/temporal' };
const own = processIdentityOf(process.pid) ?? { pid: process.pid, startTime: '' };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temper-running-lab-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const labWith = (server: ProcessIdentity): unknown =>
  stateFile(folder).update((state) => ({
    ...state,
    processes: { server },
    endpoints: { ...ENDPOINTS, webUi: 'http://127.0.0.1:18233' },
  }));

describe('the command line finds the endpoints of a lab', () => {
  test('in the file that the lab writes, while a server of the lab runs', () => {
    labWith(own);
    expect(endpointsIn(folder)).toEqual(ENDPOINTS);
  });

  test('not when another process has the pid of its server', () => {
    labWith({ ...own, startTime: 'another boot' });
    expect(endpointsIn(folder)).toEqual({});
  });

  test('not in a folder without a lab, or with a file that is none of its', () => {
    expect(endpointsIn(folder)).toEqual({});
    writeFileSync(join(folder, 'state.json'), '{"endpoints":');
    expect(endpointsIn(folder)).toEqual({});
  });
});
