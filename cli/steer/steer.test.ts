import { createServer, type Server } from 'node:http';
import { status } from '@grpc/grpc-js';
import { type Client, ServiceError, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Kube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { discoveryOf } from '../../test/builders/api-discovery.ts';
import { kubeOf } from '../../test/builders/kube-of.ts';
import { DONE, REFUSED, UNREACHABLE } from '../out.ts';
import { called } from './called.ts';
import { select } from './selected.ts';
import { ask } from './steer.ts';

const METAL3 = '/apis/infrastructure.cluster.x-k8s.io/v1beta2';
const CLUSTER_API = '/apis/cluster.x-k8s.io/v1beta2';
const OPENSHIFT = '/apis/machine.openshift.io/v1beta1';
const OF_2019 = '/apis/cluster.k8s.io/v1alpha1';
const list = (...names: readonly string[]) => ({
  metadata: { resourceVersion: '1' },
  items: names.map((name) => ({ metadata: { name, namespace: 'metal' } })),
});

/** What the API server has, by path; a number is the status of a refusal. The rest does not exist. */
let served: Readonly<Record<string, object | number>>;
let server: Server;
let kube: Kube;
let told: string[];
let printed: string[];
const out = {
  line: (text: string) => void printed.push(text),
  aside: (text: string) => void told.push(text),
};
beforeEach(async () => {
  [served, told, printed] = [{}, [], []];
  server = createServer(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://server');
    const answer = served[pathname] ?? 404;
    response.setHeader('content-type', 'application/json');
    if (typeof answer === 'object') return void response.end(JSON.stringify(answer));
    // With the name of the object, as the API server answers when it has the kind.
    const details = pathname.split('/').length > 7 ? { details: { name: pathname.split('/').at(-1) } } : {};
    response.writeHead(answer).end(JSON.stringify({ kind: 'Status', message: `status ${answer}`, ...details }));
  });
  kube = await kubeOf(server);
});
afterEach(async () => {
  await kube.close();
  server.close();
});

describe('a machine by its name', () => {
  const NAME = { namespace: 'metal', name: 'worker-0' };
  const METAL3_MACHINE = `${METAL3}/namespaces/metal/metal3machines/worker-0`;
  const OWN = `${OPENSHIFT}/namespaces/metal/machines/worker-0`;
  const FOUND = { metadata: NAME };

  /** Temporal has these runs, and answers only to requests with a deadline. */
  const temporal = (runs: readonly string[] | Error): Client => {
    let hasDeadline = false;
    const client = {
      connection: {
        async withDeadline(until: number, request: () => Promise<unknown>) {
          hasDeadline = until > Date.now();
          return request().finally(() => (hasDeadline = false));
        },
      },
      workflow: {
        getHandle: (id: string) => ({
          async describe() {
            if (!hasDeadline) throw new Error('it would wait for ever');
            if (runs instanceof Error) throw runs;
            if (!runs.includes(id)) throw new WorkflowNotFoundError('not found', id, undefined);
            return { closeTime: undefined };
          },
        }),
      },
    };
    return client as never;
  };
  const find = (runs: readonly string[] | Error = [], word: 'host' | 'machine' = 'machine', openKube = () => kube) =>
    called(word, NAME, { client: temporal(runs), openKube, out });

  test('is the Metal3Machine that has a run, without a question to the API server', async () => {
    const notAsked = (): Kube => {
      throw new Error('it is asked');
    };
    const target = { kind: KINDS.metal3Machine, name: 'worker-0' };
    expect(await find(['metal3machine/metal/worker-0'], 'machine', notAsked)).toEqual(target);
    expect(await find([], 'host', notAsked)).toEqual({ kind: KINDS.host, name: 'worker-0' });
  });

  test('is the Metal3Machine that has no run, before a Machine of the same name', async () => {
    served = { [METAL3_MACHINE]: FOUND, [OWN]: FOUND };
    expect(await find()).toEqual({ kind: KINDS.metal3Machine, name: 'worker-0' });
  });

  test.each([
    ['exists in no other kind', {}],
    [
      'is of a cluster without the other kinds, to which the person has no right',
      {
        [METAL3_MACHINE]: 403,
        [`${CLUSTER_API}/namespaces/metal/machines/worker-0`]: 403,
      },
    ],
  ])('is the Machine of the Machine API that %s', async (_, others) => {
    served = { ...discoveryOf([KINDS.openShiftMachine]), [OWN]: FOUND, ...others };
    expect(await find()).toEqual({ kind: KINDS.openShiftMachine, name: 'worker-0' });
    expect(told).toEqual([]);
  });

  test('is asked for in Temporal when there is none, so that the answer says so', async () => {
    expect(await find()).toEqual({ kind: KINDS.metal3Machine, name: 'worker-0' });
  });

  test.each([
    ['Metal3Machine', METAL3_MACHINE, discoveryOf([KINDS.metal3Machine])],
    ['Machine', `${CLUSTER_API}/namespaces/metal/machines/worker-0`, discoveryOf([KINDS.machine])],
  ])(
    'is no Machine of the Machine API while a %s may have the name, which may not be read',
    async (kind, path, more) => {
      served = { [path]: 403, [OWN]: FOUND, ...more };
      expect(await find()).toBeUndefined();
      expect(told).toEqual([
        `temper: ${kind} metal/worker-0: status 403`,
        'temper: metal/worker-0: so it is not known which machine is called so',
      ]);
    },
  );

  test('is not known without the API server, or without Temporal, and a line says why', async () => {
    const away = (): Kube => {
      throw new Error('there is no kubeconfig');
    };
    expect(await find([], 'machine', away)).toBeUndefined();
    expect(told).toEqual([
      'temper: metal/worker-0: no Metal3Machine of this name has a run in Temporal, and the API server cannot be asked for a Machine of this name: there is no kubeconfig',
    ]);
    server.close();
    expect(await find()).toBeUndefined();
    expect(told[1]).toMatch(/^temper: metal\/worker-0: no Metal3Machine .* cannot be asked for .*: .*ECONNREFUSED/);
    expect(await find(new Error('Temporal is away'))).toBeUndefined();
    expect(told[2]).toBe('temper: metal/worker-0: Temporal is away');
  });
});

describe('machines by their labels', () => {
  const METAL3_MACHINES = `${METAL3}/namespaces/metal/metal3machines`;
  const OWN = `${OPENSHIFT}/namespaces/metal/machines`;
  const find = () => select({ kind: 'machine', namespace: 'metal', selector: 'rack=r1' }, kube, out.aside);
  const [m3m, own, of2019] = [KINDS.metal3Machine, KINDS.openShiftMachine, KINDS.clusterMachine];

  test('are those of all kinds that are installed', async () => {
    served = {
      ...discoveryOf([m3m, own, of2019]),
      [METAL3_MACHINES]: list('a', 'b'),
      [OWN]: list('b'),
      [`${OF_2019}/namespaces/metal/machines`]: list('c'),
    };
    expect(await find()).toEqual({
      targets: [
        { kind: m3m, name: 'a' },
        { kind: m3m, name: 'b' },
        { kind: own, name: 'b' },
        { kind: of2019, name: 'c' },
      ],
      isAny: true,
      isPartial: false,
    });
    served = { ...discoveryOf([own]), [OWN]: list('b') };
    expect(await find()).toEqual({ targets: [{ kind: own, name: 'b' }], isAny: true, isPartial: false });
    served = discoveryOf([]);
    expect(await find()).toEqual({ targets: [], isAny: false, isPartial: false });
  });

  test('are not all of them where a kind may not be listed, which is printed', async () => {
    served = { ...discoveryOf([m3m, own]), [METAL3_MACHINES]: list('a'), [OWN]: 403 };
    expect(await find()).toEqual({ targets: [{ kind: m3m, name: 'a' }], isAny: true, isPartial: true });
    expect(told).toEqual([
      'temper: the objects of kind Machine.machine.openshift.io in namespace metal are not asked: status 403',
    ]);
  });

  test('are all of them without a right to a kind that is not installed', async () => {
    const { openShiftMachineSet: others } = KINDS;
    served = { ...discoveryOf([m3m, others]), [METAL3_MACHINES]: list('a'), [OWN]: 403 };
    expect(await find()).toMatchObject({ targets: [{ name: 'a' }], isPartial: false });
    expect(told).toEqual([]);
  });

  test('are not known without the API server', async () => {
    server.close();
    await expect(find()).rejects.toThrow('ECONNREFUSED');
  });

  test('are not asked for with hosts', async () => {
    served = { '/apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts': list('node-1'), [OWN]: list('b') };
    expect(await select({ kind: 'host', namespace: 'metal', selector: '' }, kube, out.aside)).toMatchObject({
      targets: [{ kind: KINDS.host, name: 'node-1' }],
    });
  });
});

test('an answer names the kind of a Machine of the Machine API', async () => {
  const answer = async (kind: (typeof KINDS)['openShiftMachine' | 'metal3Machine'], update: () => string) => {
    const workflow = { getHandle: () => ({ executeUpdate: async () => update() }) };
    const client = { workflow, withDeadline: (_: number, request: () => unknown) => request() };
    const request = { namespace: 'metal', message: 'retry', input: { by: 'ada', reason: 'again' } } as const;
    return ask(
      { client: client as never, temporalCommand: 'npx temper temporal' },
      request,
      { kind, name: 'worker-0' },
      out,
    );
  };
  const done = (): string => 'retry metal/worker-0 by ada: again';
  const refused = (): string => {
    throw new WorkflowUpdateFailedError('failed', ApplicationFailure.nonRetryable('retry worker-0: no'));
  };
  const paused = (): string => {
    const refusal = { code: status.FAILED_PRECONDITION, details: 'Workflow is paused.', metadata: {} };
    throw new ServiceError('Workflow Update failed', { cause: Object.assign(new Error('refused'), refusal) });
  };
  const away = (): string => {
    throw new Error('Temporal is away');
  };
  expect(await answer(KINDS.metal3Machine, done)).toBe(DONE);
  expect(await answer(KINDS.openShiftMachine, done)).toBe(DONE);
  expect(await answer(KINDS.openShiftMachine, refused)).toBe(REFUSED);
  expect(await answer(KINDS.openShiftMachine, away)).toBe(UNREACHABLE);
  expect(await answer(KINDS.metal3Machine, paused)).toBe(UNREACHABLE);
  expect([...printed, ...told]).toEqual([
    'retry metal/worker-0 by ada: again',
    'Machine.machine.openshift.io: retry metal/worker-0 by ada: again',
    'refused: Machine.machine.openshift.io: retry worker-0: no',
    'temper: Machine.machine.openshift.io: metal/worker-0: Temporal is away',
    'temper: metal/worker-0: its run is paused in Temporal: npx temper temporal workflow unpause --workflow-id metal3machine/metal/worker-0',
  ]);
});
