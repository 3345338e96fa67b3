import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Service } from '../../lab/service.ts';
import { groupMembers } from '../../lab/supervisor/group-members.ts';
import { openSession, type Session } from '../../lab/supervisor/session.ts';
import { stateFile } from '../../lab/supervisor/state.ts';
import { until } from '../../lab/supervisor/wait.ts';
import { isAlive } from '../../platform/process-identity.ts';

const SESSION_MODULE = fileURLToPath(new URL('../../lab/supervisor/session.ts', import.meta.url));

let dir: string;
let session: Session | undefined;
let child: ChildProcess | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'temper-supervisor-'));
});

afterEach(async () => {
  child?.kill('SIGKILL');
  await session?.close();
  session = undefined;
  rmSync(dir, { recursive: true, force: true });
});

describe('a supervised service', () => {
  test('ends with all its children', async () => {
    session = await openSession({ dir });
    await session.supervisor.start(shell('family', 'sleep 1000 & sleep 1000 & echo up; wait'));
    const group = pidOf(session, 'family');
    await expect.poll(() => groupMembers(group).length).toBe(3);

    await session.supervisor.stop('family');

    expect(groupMembers(group)).toEqual([]);
  });

  test('that ignores the polite signal is killed', async () => {
    session = await openSession({ dir });
    await session.supervisor.start(shell('deaf', "trap '' TERM; echo up; while :; do sleep 0.1; done"));
    const group = pidOf(session, 'deaf');

    await session.supervisor.kill('deaf', 'SIGKILL');

    expect(groupMembers(group)).toEqual([]);
  });

  test('that dies while it starts fails with the end of its log', async () => {
    session = await openSession({ dir });

    const starting = session.supervisor.start({
      ...shell('broken', 'echo the disk is full; exit 3'),
      ready: (signal) => until('broken', () => Promise.reject(new Error('no answer')), signal),
    });

    await expect(starting).rejects.toThrow(/broken ended with exit code 3[^]*the disk is full/);
  });

  test('killed on purpose stays down until it is started again', async () => {
    const reports: string[] = [];
    session = await openSession({ dir, restart: true, report: (name) => reports.push(name) });
    await session.supervisor.start(shell('server', 'echo up; exec sleep 1000'));
    const first = pidOf(session, 'server');

    await session.supervisor.kill('server', 'SIGKILL');
    expect(session.supervisor.pidOf('server')).toBeUndefined();
    await session.supervisor.startAgain('server');

    expect(pidOf(session, 'server')).not.toBe(first);
    expect(reports).toEqual([]);
  });

  test('that crashes is started again', async () => {
    const reports: string[] = [];
    session = await openSession({ dir, restart: true, report: (_name, message) => reports.push(message) });
    await session.supervisor.start(shell('server', 'echo up; exec sleep 1000'));

    process.kill(pidOf(session, 'server'), 'SIGKILL');

    await expect.poll(() => reports, { timeout: 20_000 }).toEqual([expect.stringContaining('SIGKILL'), 'is back']);
    expect(groupMembers(pidOf(session, 'server'))).toHaveLength(1);
  });

  test('ends before what it stands on', async () => {
    session = await openSession({ dir });
    const last = join(dir, 'order');
    const noted = (name: string): Service =>
      shell(name, `trap 'echo ${name} >> ${last}; exit 0' TERM; echo up; while :; do sleep 0.05; done`);
    for (const name of ['database', 'server', 'client']) await session.supervisor.start(noted(name));

    await session.close();
    session = undefined;

    expect(readFileSync(last, 'utf8').trim().split('\n')).toEqual(['client', 'server', 'database']);
  });
});

describe('a lab whose supervisor is killed', () => {
  test('leaves no process behind', async () => {
    child = supervise(dir, false);
    const { pid } = await recorded(dir);

    child.kill('SIGKILL');

    await expect.poll(() => groupMembers(pid), { timeout: 20_000 }).toEqual([]);
  });

  test('leaves no folder behind when it was made for a test', async () => {
    child = supervise(dir, true);
    await recorded(dir);

    child.kill('SIGKILL');

    await expect.poll(() => existsSync(dir), { timeout: 20_000 }).toBe(false);
  });

  test('together with its watchdog is cleaned up by the next start', async () => {
    child = supervise(dir, false);
    const service = await recorded(dir);
    process.kill(stateFile(dir).read().watchdogPid ?? 0, 'SIGKILL');
    child.kill('SIGKILL');
    await expect.poll(() => child?.signalCode).toBe('SIGKILL');
    expect(isAlive(service)).toBe(true);
    const reports: string[] = [];

    session = await openSession({ dir, report: (name) => reports.push(name) });

    expect(reports).toEqual(['server']);
    expect(isAlive(service)).toBe(false);
  });
});

describe('a lab folder', () => {
  test('is refused while another lab has it', async () => {
    session = await openSession({ dir });

    await expect(openSession({ dir })).rejects.toThrow(`a lab is running in ${dir} already (process ${process.pid})`);
  });

  test('keeps its ports for the next start, unless somebody has taken one', async () => {
    const wishes = { a: undefined, b: undefined };
    session = await openSession({ dir });
    const first = await session.ports(wishes);
    await session.close();
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(first.a, '127.0.0.1', resolve));

    session = await openSession({ dir });
    const second = await session.ports(wishes);
    await new Promise((resolve) => squatter.close(resolve));

    expect(second.b).toBe(first.b);
    expect(second.a).not.toBe(first.a);
  });

  test('does not take a process for its own that only has the same id', async () => {
    const stranger = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    child = stranger;
    const pid = stranger.pid ?? 0;
    stateFile(dir).update((state) => ({ ...state, processes: { etcd: { pid, startTime: 'another' } } }));

    session = await openSession({ dir });

    expect(groupMembers(pid)).toEqual([pid]);
  });
});

/** Ready when its log shows that the script has reached `echo up`. */
function shell(name: string, script: string): Service {
  const log = join(dir, 'logs', `${name}.log`);
  return {
    name,
    command: '/bin/sh',
    args: ['-c', script],
    ready: (signal) =>
      until(
        name,
        () =>
          existsSync(log) && readFileSync(log, 'utf8').includes('up')
            ? Promise.resolve()
            : Promise.reject(new Error('not yet')),
        signal,
      ),
  };
}

/** A process with a lab that a test can kill. */
function supervise(folder: string, ephemeral: boolean): ChildProcess {
  const program = join(folder, 'supervise.ts');
  const service = "{ name: 'server', command: 'sleep', args: ['1000'], ready: () => Promise.resolve() }";
  writeFileSync(
    program,
    `import { openSession } from ${JSON.stringify(SESSION_MODULE)};
     const session = await openSession({ dir: ${JSON.stringify(folder)}, ephemeral: ${ephemeral} });
     await session.supervisor.start(${service});
     setInterval(() => undefined, 1000);`,
  );
  return spawn(process.execPath, [program], { stdio: 'ignore' });
}

async function recorded(folder: string): Promise<{ pid: number; startTime: string }> {
  const read = (): { pid: number; startTime: string } | undefined => stateFile(folder).read().processes['server'];
  await expect.poll(read, { timeout: 20_000 }).toBeDefined();
  return read() ?? { pid: 0, startTime: '' };
}

function pidOf({ supervisor }: Session, name: string): number {
  const pid = supervisor.pidOf(name);
  if (pid === undefined) throw new Error(`${name} is not running`);
  return pid;
}
