import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { aPermit } from '../../../test/builders/permits.ts';
import {
  type Answer,
  aNodeAnswer,
  fault,
  type ScriptedIronic,
  scriptIronic,
} from '../../../test/builders/scripted-ironic.ts';
import { PermitExpired } from '../../permits/withheld.ts';
import { createIronicClient, type IronicClient } from './client.ts';
import type { IronicConnection } from './connection.ts';

const lacking = (text: string): unknown => expect.not.stringContaining(text);
const containing = (text: string): unknown => expect.stringContaining(text);

const LOCKED = {
  status: 409,
  body: fault('Node n is locked by host lab, please retry after the current operation is completed.'),
};
const ok = (body: unknown): Answer => ({ status: 200, body });

let open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.toReversed()) await each.close();
  open = [];
});

async function talk(
  answers: readonly Answer[],
  connection: Partial<IronicConnection> = {},
): Promise<{ readonly ironic: ScriptedIronic; readonly client: IronicClient }> {
  const ironic = await scriptIronic(...answers);
  const client = await createIronicClient({ endpoint: ironic.endpoint, pausesMs: [1, 1], ...connection });
  open.push(ironic, client);
  return { ironic, client };
}

describe('the client', () => {
  test('speaks the newest version that both sides know', async () => {
    const { ironic, client } = await talk([ok(aNodeAnswer())]);
    ironic.newest = '1.96';
    await client.getNode('n');
    expect(ironic.headers[0]?.['x-openstack-ironic-api-version']).toBe('1.95');
  });

  test('does not work with an Ironic that is too old, until there is a newer one', async () => {
    const { ironic, client } = await talk([ok(aNodeAnswer())]);
    ironic.newest = '1.81';
    await expect(client.getNode('n')).rejects.toMatchObject({ type: 'IronicUnusable' });
    ironic.newest = '1.115';
    await expect(client.getNode('n')).resolves.toMatchObject({ provision_state: 'manageable' });
  });

  test('says whether Ironic answers now, without another try', async () => {
    const { ironic, client } = await talk([], { pausesMs: [60_000] });
    const now = AbortSignal.timeout(30_000);
    await expect(client.answers(now)).resolves.toBeUndefined();
    await ironic.close();
    await expect(client.answers(now)).rejects.toMatchObject({
      type: 'IronicUnreachable',
      message: containing("can't list the drivers: no answer from Ironic at http://127.0.0.1:"),
    });
  });

  test('fills in what an answer leaves out, and ignores what it does not know', async () => {
    const { client } = await talk([ok(aNodeAnswer({ driver_info: null, surprise: {} }))]);
    await expect(client.getNode('n')).resolves.toMatchObject({ driver_info: {}, last_error: null, maintenance: false });
  });

  test('says which answer it can not make sense of, and quotes nothing of it', async () => {
    const { client } = await talk([ok({ uuid: 7, driver_info: 'canary' })]);
    const failed = client.getNode('n');
    await expect(failed).rejects.toMatchObject({
      type: 'IronicUnreadable',
      message: containing("can't read node n"),
    });
    await expect(failed).rejects.not.toMatchObject({ message: containing('canary') });
  });

  test('does not take a page for an answer', async () => {
    const { client } = await talk([ok('<html>')]);
    await expect(client.getNode('n')).rejects.toMatchObject({ type: 'IronicUnreadable' });
  });

  test('knows no node where Ironic knows none', async () => {
    const { client } = await talk([{ status: 404, body: fault('Node n could not be found.') }]);
    await expect(client.getNode('n')).resolves.toBeUndefined();
  });
});

describe('a list', () => {
  test('is read to its end, page by page, and at our own address of Ironic', async () => {
    const { ironic, client } = await talk([
      ok({ nodes: [aNodeAnswer({ uuid: 'a' })], next: 'http://elsewhere:6385/v1/nodes?limit=1&marker=a' }),
      ok({ nodes: [aNodeAnswer({ uuid: 'b' })], next: 'http://elsewhere:6385/v1/nodes?limit=1&marker=b' }),
      ok({ nodes: [aNodeAnswer({ uuid: 'c' })] }),
    ]);
    const nodes = await client.listNodes();
    expect(nodes.map(({ uuid }) => uuid)).toEqual(['a', 'b', 'c']);
    expect(ironic.requests[2]).toMatch(/^GET \/v1\/nodes\?fields=uuid,.*&marker=b&limit=1$/);
  });
});

test('a list with the power says when Ironic last switched each server, and nothing else that a driver keeps', async () => {
  const info = { last_power_state_change: '2026-01-01T00:00:00.1', agent_secret_token: 'canary' };
  const { ironic, client } = await talk([ok({ nodes: [aNodeAnswer({ driver_internal_info: info })] })]);
  const [node] = await client.listNodesWithPower();
  expect(node?.driver_internal_info).toEqual({ last_power_state_change: '2026-01-01T00:00:00.1' });
  expect(ironic.requests[0]).toContain('driver_internal_info');
  await client.listNodes();
  expect(ironic.requests[1]).not.toContain('driver_internal_info');
});

test('only a list without the power has the steps that Ironic performs, whose arguments may be long', async () => {
  const { ironic, client } = await talk([ok({ nodes: [] }), ok({ nodes: [] }), ok(aNodeAnswer())]);
  await client.listNodes();
  await client.listNodesWithPower();
  await client.getNode('n');
  const steps = ironic.requests.map((request) => request.match(/clean_step|deploy_step/g));
  expect(steps).toEqual([['clean_step', 'deploy_step'], null, null]);
});

const aChange = async () => ({ permit: await aPermit() });

describe('a new driver of a node', () => {
  test('lets the interfaces follow, which Ironic refuses otherwise', async () => {
    const { ironic, client } = await talk([ok(aNodeAnswer())]);
    await client.patchNode('n', [{ op: 'add', path: '/driver', value: 'redfish' }], await aChange());
    await client.patchNode('n', [{ op: 'add', path: '/name', value: 'a' }], await aChange());
    expect(ironic.requests).toEqual(['PATCH /v1/nodes/n?reset_interfaces=true', 'PATCH /v1/nodes/n']);
  });
});

describe('a change', () => {
  test('of a locked node is sent once, and is an error worth another try: the node has to be read again first', async () => {
    const { ironic, client } = await talk([LOCKED, { status: 202 }]);
    await expect(client.setProvisionState('n', 'manage', {}, await aChange())).rejects.toMatchObject({
      type: 'IronicBusy',
      nonRetryable: false,
      message:
        "can't request 'manage' of node n: Ironic answered 409: Node n is locked by host lab, please retry after the current operation is completed.",
    });
    expect(ironic.requests).toHaveLength(1);
  });

  test.each<[string, Answer]>([
    ['has no hands free', { status: 503, body: fault('no free workers') }],
    ['knows other versions', { status: 406, body: fault('Version 1.99 was requested but the maximum is 1.95') }],
    ['hangs up', 'cut'],
    ['breaks over it', { status: 500, body: fault('boom') }],
  ])('that Ironic does not take, because it %s, is sent once', async (_, answer) => {
    const { ironic, client } = await talk([answer, { status: 202 }]);
    await expect(client.setProvisionState('n', 'manage', {}, await aChange())).rejects.toThrow(
      "can't request 'manage'",
    );
    expect(ironic.requests).toHaveLength(1);
  });

  test('is not sent a second time with the same permit', async () => {
    const { ironic, client } = await talk([{ status: 202 }]);
    const change = await aChange();
    await client.setProvisionState('n', 'manage', {}, change);
    await expect(client.setProvisionState('n', 'manage', {}, change)).rejects.toThrow(PermitExpired);
    expect(ironic.requests).toHaveLength(1);
  });

  test('of a protected node that Ironic refuses is a refusal, and no wrong password', async () => {
    const said = 'Node n is protected and can not be undeployed, rebuilt or deleted.';
    const { client } = await talk([{ status: 403, body: fault(said) }]);
    await expect(client.setProvisionState('n', 'deleted', {}, await aChange())).rejects.toMatchObject({
      type: 'IronicRefused',
      said,
    });
  });
});

describe('an Ironic that was replaced by one with other versions', () => {
  test('is asked again for its versions, and a read is repeated with the new one', async () => {
    const answers = [ok(aNodeAnswer()), { status: 406, body: fault('not acceptable') }, ok(aNodeAnswer())];
    const { ironic, client } = await talk(answers);
    await client.getNode('n');
    await client.getNode('n');
    expect(ironic.requests.filter((request) => request.startsWith('GET /v1/nodes/n'))).toHaveLength(3);
  });
});

describe('an Ironic in trouble', () => {
  test('that hangs up is asked again for what changes nothing', async () => {
    const { ironic, client } = await talk(['cut', ok(aNodeAnswer())]);
    await client.getNode('n');
    expect(ironic.requests).toHaveLength(2);
  });

  test('that is not there is an error that names the place', async () => {
    const { ironic, client } = await talk([]);
    await ironic.close();
    await expect(client.getNode('n')).rejects.toMatchObject({
      type: 'IronicUnreachable',
      nonRetryable: false,
      message: containing(ironic.endpoint.slice(0, -1)),
    });
  });

  test('that never answers is given up in time', async () => {
    const { client } = await talk(['silence'], { timeoutMs: 50, pausesMs: [] });
    await expect(client.getNode('n')).rejects.toMatchObject({ type: 'IronicUnreachable' });
  });

  test('is left at once when the caller is no longer interested', async () => {
    const { ironic, client } = await talk(['silence']);
    const caller = new AbortController();
    const asked = client.getNode('n', { signal: caller.signal });
    await expect.poll(() => ironic.requests.length).toBe(1);
    caller.abort(new Error('change of mind'));
    await expect(asked).rejects.toThrow('change of mind');
  });
});

describe('a refusal', () => {
  test('has the message of Ironic and is final', async () => {
    const { client } = await talk([{ status: 400, body: fault('The requested action "manage" can not be performed') }]);
    await expect(client.setProvisionState('n', 'manage', {}, await aChange())).rejects.toMatchObject({
      type: 'IronicRefused',
      nonRetryable: true,
      status: 400,
      said: 'The requested action "manage" can not be performed',
    });
  });

  test('that quotes the request does not give its secrets away', async () => {
    const secret = 'hunter2"$';
    const quoted = fault(`Couldn't apply patch '[{"value": {"redfish_password": ${JSON.stringify(secret)}}}]'`);
    const { client } = await talk([{ status: 400, body: quoted }]);
    const body = { name: 'a', driver_info: { redfish_password: secret } };
    const refused = client.createNode(body, { ...(await aChange()), secrets: [secret] });
    await expect(refused).rejects.toMatchObject({
      type: 'IronicRefused',
      message: lacking('hunter2'),
    });
  });
});

describe('the login', () => {
  async function loginFolder(username: string, password: string): Promise<string> {
    const root = await mkdtemp(join(tmpdir(), 'temper-login-'));
    open.push({ close: () => rm(root, { recursive: true }) });
    await mkdir(join(root, 'ironic'));
    await writeFile(join(root, 'ironic', 'username'), username);
    await writeFile(join(root, 'ironic', 'password'), password);
    return root;
  }

  test('is read from its two files and sent along', async () => {
    const { ironic, client } = await talk([ok(aNodeAnswer())], {
      authRootDir: await loginFolder('temper\n', 'pass word\n'),
    });
    await client.getNode('n');
    expect(ironic.headers[0]?.authorization).toBe(`Basic ${Buffer.from('temper:pass word').toString('base64')}`);
  });

  test('is none where there is no folder', async () => {
    const { ironic, client } = await talk([ok(aNodeAnswer())], { authRootDir: '/nowhere' });
    await client.getNode('n');
    expect(ironic.headers[0]?.authorization).toBeUndefined();
  });

  test('that is empty stops everything', async () => {
    await expect(talk([], { authRootDir: await loginFolder('temper', ' ') })).rejects.toThrow(/both not empty/);
  });

  test('that Ironic does not take is an error that heals', async () => {
    const { client } = await talk([{ status: 401, body: 'Incorrect username or password' }]);
    await expect(client.getNode('n')).rejects.toMatchObject({ type: 'IronicUnauthorized', nonRetryable: false });
  });
});

describe('the history of a node', () => {
  test('returns its newest error', async () => {
    const entry = (created_at: string, severity: string, event: string): object => ({ created_at, severity, event });
    const { client } = await talk([
      ok({
        history: [
          entry('2026-01-02T00:00:00', 'ERROR', 'newer'),
          entry('2026-01-03T00:00:00', 'INFO', 'no error'),
          entry('2026-01-01T00:00:00', 'ERROR', 'older'),
        ],
      }),
    ]);
    await expect(client.newestError('n')).resolves.toBe('newer');
  });
});
