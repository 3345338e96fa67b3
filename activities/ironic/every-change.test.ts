import { afterEach, describe, expect, test } from 'vitest';
import type { Raid } from '../../api/baremetalhost/types.ts';
import type { PowerOrder } from '../../domain/ironic/orders.ts';
import { anOrder } from '../../test/builders/node.ts';
import { aWillingObject } from '../../test/builders/permits.ts';
import { type ScriptedActivities, scriptActivities } from '../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer, fault } from '../../test/builders/scripted-ironic.ts';
import type { ChangingName, IronicActivities } from './activities.ts';

/** Every operation that changes something at Ironic: what is read before each of its requests. */

const NODE = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const MAC = '52:54:00:00:00:01';
const IMAGE = { url: 'http://images/a.raw', checksum: 'abc', checksumType: 'sha256' } as const;
const VOLUMES: Raid = { hardwareRAIDVolumes: [{ level: '1', name: 'root', sizeGibibytes: 100 }] };

const ORDER = { ...anOrder({ nodeId: NODE }), retry: false } as const;
const REGISTER = { ...ORDER, credentialsChanged: false, credentialsSeen: null, deleting: false } as const;
const POWER: PowerOrder = { ...ORDER, on: false, mode: 'hard', force: false };

const LOCKED: Answer = { status: 409, body: fault('Node n is locked by host lab, please retry after') };
const node = (facts: object): Answer => ({ status: 200, body: aNodeAnswer(facts) });
const inventory: Answer = {
  status: 200,
  body: {
    inventory: {
      interfaces: [
        { name: 'eth0', mac_address: MAC },
        { name: 'eth1', mac_address: '52:54:00:00:00:02' },
      ],
    },
    plugin_data: {},
  },
};

/** Answers by request, without the path of all nodes; one that is used up is followed by the next, the last one stays. */
type Answers = Readonly<Record<string, Answer | readonly Answer[]>>;

interface Operation {
  readonly name: string;
  readonly of: ChangingName;
  readonly act: (activities: IronicActivities) => Promise<unknown>;
  /** What Ironic says of the node. */
  readonly facts: object;
  readonly answers?: Answers;
  /** The requests that change something, in order. */
  readonly changes: readonly string[];
}

const [PATCH, PROVISION, SWITCH] = [`PATCH ${NODE}`, `PUT ${NODE}/states/provision`, `PUT ${NODE}/states/power`];
const [CREATE, DELETE, PORT] = ['POST', `DELETE ${NODE}`, 'POST /ports'];

const OPERATIONS: readonly Operation[] = [
  {
    name: 'registration of a new node, with its port',
    of: 'registerNode',
    act: ({ registerNode }) => registerNode({ ...REGISTER, nodeId: '', bootMACAddress: MAC }),
    facts: {},
    answers: { [CREATE]: node({ provision_state: 'enroll' }), [PORT]: { status: 201, body: {} } },
    changes: [CREATE, PORT, PATCH, PROVISION],
  },
  {
    name: 'registration of a new node while Ironic is replaced by one with other versions',
    of: 'registerNode',
    act: ({ registerNode }) => registerNode({ ...REGISTER, nodeId: '', bootMACAddress: MAC }),
    facts: {},
    answers: {
      [CREATE]: [{ status: 406, body: fault('not acceptable') }, node({ provision_state: 'enroll' })],
      [PORT]: { status: 201, body: {} },
    },
    changes: [CREATE, CREATE, PORT, PATCH, PROVISION],
  },
  {
    name: 'registration whose port belongs to another node: the new node goes',
    of: 'registerNode',
    act: ({ registerNode }) => registerNode({ ...REGISTER, nodeId: '', bootMACAddress: MAC }),
    facts: {},
    answers: {
      [CREATE]: node({ provision_state: 'enroll' }),
      [PORT]: { status: 409, body: fault('A port with this MAC address exists') },
      'GET /ports': { status: 200, body: { ports: [{ uuid: 'p', address: MAC, node_uuid: OTHER }] } },
      [`GET ${OTHER}`]: node({ uuid: OTHER, name: 'metal~host-2' }),
    },
    changes: [CREATE, PORT, DELETE],
  },
  {
    name: 'registration of a known node with another password',
    of: 'registerNode',
    act: ({ registerNode }) => registerNode({ ...REGISTER, credentialsChanged: true }),
    facts: { provision_state: 'enroll' },
    changes: [PATCH, PROVISION],
  },
  {
    name: 'registration of a host that is being deleted',
    of: 'registerNode',
    act: ({ registerNode }) => registerNode({ ...REGISTER, credentialsChanged: true, deleting: true }),
    facts: { provision_state: 'enroll' },
    changes: [PATCH, PROVISION],
  },
  {
    name: 'inspection',
    of: 'startInspection',
    act: ({ startInspection }) => startInspection({ ...ORDER, refresh: true }),
    facts: { provision_state: 'available' },
    changes: [PROVISION, PATCH, PROVISION],
  },
  {
    name: 'result of an inspection, with ports that Ironic does not have',
    of: 'saveInventory',
    act: ({ saveInventory }) => saveInventory(ORDER),
    facts: {},
    answers: {
      [`GET ${NODE}/inventory`]: inventory,
      [`GET ${NODE}/ports`]: { status: 200, body: { ports: [] } },
      'GET /ports': { status: 200, body: { ports: [] } },
      [PORT]: { status: 201, body: {} },
    },
    changes: [PORT, PORT],
  },
  {
    name: 'preparation with volumes',
    of: 'prepareNode',
    act: ({ prepareNode }) => prepareNode({ ...ORDER, unprepared: true, targetRaid: VOLUMES }),
    facts: { provision_state: 'available', raid_interface: 'agent' },
    changes: [PROVISION, PATCH, `PUT ${NODE}/states/raid`, PROVISION],
  },
  {
    name: 'cleaning before a deployment',
    of: 'provideNode',
    act: ({ provideNode }) => provideNode(ORDER),
    facts: { provision_state: 'manageable' },
    changes: [PROVISION],
  },
  {
    name: 'deployment on a node with the instance of another host',
    of: 'deployNode',
    act: ({ deployNode }) => deployNode({ ...ORDER, image: IMAGE }),
    facts: { provision_state: 'available', instance_uuid: 'uid-0' },
    answers: { [PATCH]: node({ provision_state: 'available' }) },
    changes: [PATCH, PATCH, PROVISION],
  },
  {
    name: 'undeployment with a change of the cleaning, of a node that is locked at first',
    of: 'undeployNode',
    act: ({ undeployNode }) => undeployNode(ORDER),
    facts: { provision_state: 'active', automated_clean: false },
    answers: { [PROVISION]: [LOCKED, { status: 202 }] },
    changes: [PATCH, PROVISION, PATCH, PROVISION],
  },
  {
    name: 'undeployment of a node that was only prepared for a deployment',
    of: 'undeployNode',
    act: ({ undeployNode }) => undeployNode(ORDER),
    facts: { provision_state: 'available', instance_uuid: ORDER.host.uid },
    changes: [PATCH],
  },
  {
    name: 'power on',
    of: 'setPower',
    act: ({ setPower }) => setPower({ ...POWER, on: true }),
    facts: { provision_state: 'active', power_state: 'power off' },
    changes: [SWITCH],
  },
  {
    name: 'power off',
    of: 'setPower',
    act: ({ setPower }) => setPower(POWER),
    facts: { provision_state: 'active', power_state: 'power on' },
    changes: [SWITCH],
  },
  {
    name: 'power off of a server that can not shut down',
    of: 'setPower',
    act: ({ setPower }) => setPower({ ...POWER, mode: 'soft' }),
    facts: { provision_state: 'active', power_state: 'power on' },
    answers: { [SWITCH]: [{ status: 400, body: fault('not supported') }, { status: 202 }] },
    changes: [SWITCH, SWITCH],
  },
  {
    name: 'reboot',
    of: 'setPower',
    act: ({ setPower }) => setPower({ ...POWER, on: true, rebootFor: ['reboot.metal3.io'] }),
    facts: { provision_state: 'active', power_state: 'power on' },
    changes: [SWITCH],
  },
  {
    name: 'power off of a node that waits for its agent',
    of: 'setPower',
    act: ({ setPower }) => setPower(POWER).catch(() => undefined),
    facts: { provision_state: 'inspect wait', power_state: 'power on' },
    changes: [PROVISION],
  },
  {
    name: 'medium that is inserted',
    of: 'changeMedia',
    act: ({ changeMedia }) => changeMedia({ ...ORDER, desired: 'http://images/a.iso', attached: '', requested: null }),
    facts: { provision_state: 'active' },
    answers: { [`GET ${NODE}/vmedia`]: { status: 200, body: [{ inserted: false }] } },
    changes: [`POST ${NODE}/vmedia`],
  },
  {
    name: 'medium that is ejected',
    of: 'changeMedia',
    act: ({ changeMedia }) => changeMedia({ ...ORDER, desired: '', attached: 'http://images/a.iso', requested: null }),
    facts: { provision_state: 'active' },
    answers: { [`GET ${NODE}/vmedia`]: { status: 200, body: [{ inserted: true }] } },
    changes: [`DELETE ${NODE}/vmedia`],
  },
  {
    name: 'adoption',
    of: 'adoptNode',
    act: ({ adoptNode }) => adoptNode({ ...ORDER, image: IMAGE }),
    facts: { provision_state: 'manageable' },
    changes: [PATCH, PROVISION],
  },
  {
    name: 'end of a maintenance of a node in use',
    of: 'adoptNode',
    act: ({ adoptNode }) => adoptNode({ ...ORDER, image: IMAGE }),
    facts: { provision_state: 'active', maintenance: true },
    changes: [`DELETE ${NODE}/maintenance`],
  },
  {
    name: 'abort',
    of: 'abortNode',
    act: ({ abortNode }) => abortNode(ORDER),
    facts: { provision_state: 'clean wait' },
    changes: [PROVISION],
  },
  {
    name: 'deletion of a node that still has an instance',
    of: 'deleteNode',
    act: ({ deleteNode }) => deleteNode(ORDER),
    facts: { provision_state: 'available', instance_uuid: 'uid-1' },
    answers: { [DELETE]: [{ status: 409, body: fault('Node n is associated with instance') }, { status: 204 }] },
    changes: [DELETE, PATCH, DELETE],
  },
  {
    name: 'deletion of a node that works: it is stopped first',
    of: 'deleteNode',
    act: ({ deleteNode }) => deleteNode(ORDER),
    facts: { provision_state: 'clean wait' },
    changes: [PROVISION],
  },
  {
    name: 'deletion by force',
    of: 'deleteNode',
    act: ({ deleteNode }) => deleteNode({ ...ORDER, isForced: true }),
    facts: { provision_state: 'active' },
    changes: [`PUT ${NODE}/maintenance`, DELETE],
  },
];

let open: ScriptedActivities | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const REPLACED: Answer = { status: 406, body: fault('not acceptable') };

/**
 * Performs it; what happened, in order: places, reads of the object, marks, and requests to Ironic. `first`: the answer
 * to the first change.
 */
async function happenedIn({ act, facts, answers = {} }: Operation, first?: Answer): Promise<readonly string[]> {
  const happened: string[] = [];
  const note = (what: string): void => void happened.push(what);
  const used = new Map<string, number>();
  let last = '';
  let isFirst = true;
  const answer = (): Answer => {
    if (first !== undefined && isFirst && isChange(last)) {
      isFirst = false;
      return first;
    }
    if (last === 'GET') return { status: 200, body: { nodes: [aNodeAnswer(facts)] } };
    const found = answers[last] ?? (last.startsWith('GET') || last === PATCH ? node(facts) : { status: 202 });
    if (!Array.isArray(found)) return found as Answer;
    const at = used.get(last) ?? 0;
    used.set(last, at + 1);
    return found[Math.min(at, found.length - 1)] as Answer;
  };
  const onRequest = (request: string): void => {
    last = request
      .replace(/\?.*/, '')
      .replace(/\/v1(\/nodes\/?)?/, '')
      .trim();
    note(last);
  };
  const object = aWillingObject(undefined, note);
  const options = { pausesMs: [1, 1], onRequest, onPlace: () => note('place') };
  open = await scriptActivities([answer], {}, {}, 1, () => object, options);
  // A list of a moment ago has the node, too.
  await open.activities.waitForNode({ ...ORDER, until: 'free' });
  happened.splice(0);
  await act(open.activities);
  return happened;
}

/** Requests that stand on the object before they are sent, as their paths show; `turn.test.ts` has the others. */
const MARKED = [SWITCH, DELETE];

const isChange = (what: string): boolean => /^(POST|PUT|PATCH|DELETE) ?/.test(what);
const isOfObject = (what: string): boolean => what === 'read' || what.startsWith('mark ');

describe('each request that changes something has its turn, then a read of the object, and nothing between', () => {
  test.each(OPERATIONS.map((each) => [each.name, each] as const))('in the %s', async (_, operation) => {
    const happened = await happenedIn(operation);
    expect(happened.filter(isChange)).toEqual(operation.changes);
    expect(happened.filter((what) => what === 'read')).toHaveLength(operation.changes.length);
    const unmarked = happened.filter((what, at) => MARKED.includes(what) && !happened[at - 1]?.startsWith('mark '));
    expect(unmarked).toEqual([]);
    for (const [index, what] of happened.entries()) {
      if (!isChange(what)) continue;
      const before = happened.slice(0, index);
      const since = before.slice(before.lastIndexOf('read'));
      expect(
        since.filter((each) => !isOfObject(each)),
        what,
      ).toEqual([]);
      expect(before.lastIndexOf('place'), what).toBeGreaterThanOrEqual(0);
      expect(before.lastIndexOf('read'), what).toBeGreaterThan(before.lastIndexOf('place'));
    }
  });

  /** Their requests make something new, or follow the answer to one that does. */
  const MAKING: readonly ChangingName[] = ['registerNode', 'saveInventory'];

  test.each(OPERATIONS.filter(({ of }) => !MAKING.includes(of)).map((each) => [each.name, each] as const))(
    'and before that a read of the node, whatever a list of a moment ago says: %s',
    async (_, operation) => {
      const happened = await happenedIn(operation);
      for (const [index, what] of happened.entries()) {
        if (!isChange(what)) continue;
        const inTurn = happened.slice(happened.lastIndexOf('place', index), index);
        expect(inTurn, what).toContain(`GET ${NODE}`);
      }
    },
  );

  test.each(OPERATIONS.map((each) => [each.name, each] as const))(
    'also when the first one meets an Ironic with other versions, in the %s',
    async (_, operation) => {
      const happened = await happenedIn(operation, REPLACED);
      expect(happened.filter(isChange)).toEqual([operation.changes[0], ...operation.changes]);
    },
  );

  test('in every activity that changes something', () => {
    const changing = Object.keys({
      registerNode: true,
      startInspection: true,
      saveInventory: true,
      prepareNode: true,
      provideNode: true,
      deployNode: true,
      undeployNode: true,
      setPower: true,
      changeMedia: true,
      adoptNode: true,
      deleteNode: true,
      abortNode: true,
    } satisfies Readonly<Record<ChangingName, true>>);
    expect(new Set(OPERATIONS.map(({ of }) => of))).toEqual(new Set(changing));
  });
});
