import { describe, expect, test } from 'vitest';
import { diagnose } from '../../domain/diagnosis/diagnose.ts';
import { staleInWords } from '../../domain/entity/stale.ts';
import { KINDS } from '../../kube/kinds.ts';
import { USUAL_TIMES, usualTimesData } from '../../kube/objects/usual-times.ts';
import { aCondition, hostError, NOW } from '../../test/builders/diagnoses/sights.ts';
import {
  explained,
  FAILED,
  object,
  PLACES,
  type Server,
  server,
  spec,
  status,
  TIMEOUT,
} from '../../test/builders/explained.ts';
import { clusterExplanation, clusterLines } from './cluster.ts';
import { explanationOf } from './explain.ts';
import { explanationLines } from './render.ts';

const CONFIG_MAPS = { kind: 'ConfigMap', apiVersion: 'v1', plural: 'configmaps' };

describe('the explanation of a host', () => {
  test('says where it stands, why, what comes next and what a person can do, from its object alone', async () => {
    const api = server('/secrets/');
    await api.put(KINDS.host, 'node-1', object());
    const lines = explanationLines(
      await explained(api, 'host', { BareMetalHost: 'run baremetalhost/metal/node-1: TEMPORAL_ADDRESS is not set' }),
    );
    expect(lines).toEqual([
      'BareMetalHost metal/node-1: inspecting, in error, powered off, since 2026-01-01T11:50:00Z (10 min, usually less than 10 min, as assumed)',
      '',
      'Chain',
      '  BareMetalHost  node-1  inspecting, in error, powered off',
      '  Ironic node    n',
      '',
      'Last error',
      '  inspection error, failure 2 in a row, is tried again at most 4 min after the failure:',
      `  ${TIMEOUT}`,
      '',
      'Why',
      '  agent-silent-inspection: The deploy agent of the server never called during inspection: it did not boot, or cannot reach Ironic.',
      '    seen: BareMetalHost metal/node-1, status.errorMessage: as above',
      '    do:   Look at the console of the server while it boots: boot order, boot MAC address, DHCP, and the way to Ironic.',
      "          kubectl -n metal get bmh node-1 -o jsonpath='{.spec.bootMACAddress} {.spec.bootMode}'",
      "          npx temper retry host node-1 -n metal --reason 'the cause is gone'",
      '',
      'What happens next, if all goes well',
      '  1. inspecting: boot the deploy agent, and inspect the hardware',
      '  2. available: power on',
      '  then it is available and powered on (waiting for an image in spec.image)',
      '',
      'What a person can do now (WHY is yours to replace)',
      '  retry:',
      '    npx temper retry host node-1 -n metal --reason WHY',
      '    kubectl -n metal annotate --overwrite bmh node-1 temper/retry=WHY',
      '  abort:',
      '    npx temper abort host node-1 -n metal --reason WHY',
      '    kubectl -n metal annotate --overwrite bmh node-1 temper/abort=WHY',
      '  pause:',
      '    npx temper pause host node-1 -n metal --reason WHY',
      '    kubectl -n metal annotate --overwrite bmh node-1 baremetalhost.metal3.io/paused=WHY',
      '  quarantine:',
      '    npx temper quarantine host node-1 -n metal --reason WHY',
      '    kubectl -n metal annotate --overwrite bmh node-1 temper/quarantine=WHY',
      '',
      'Not looked at',
      '  whether Secret metal/node-1-bmc exists: it is forbidden',
      '  run baremetalhost/metal/node-1: TEMPORAL_ADDRESS is not set',
    ]);
  });

  test('that is being deleted says so first, and before the advice what that does to its server', async () => {
    const api = server();
    await api.put(KINDS.secret, 'node-1-bmc', {});
    const annotations = { 'baremetalhost.metal3.io/detached': '{"deleteAction":"delay"}' };
    const deletionTimestamp = '2026-01-01T11:00:00Z';
    const provisioning = { state: 'provisioned', ID: 'n', image: { url: 'http://images/a.raw' } };
    const host = object({
      metadata: { finalizers: ['baremetalhost.metal3.io'], annotations, deletionTimestamp },
      spec: { ...spec, image: { url: 'http://images/a.raw' }, userData: { name: 'gone' } },
      status: { ...status, operationalStatus: 'detached', poweredOn: true, provisioning },
    });
    await api.put(KINDS.host, 'node-1', host);
    const lines = explanationLines(await explained(api));
    const why = lines.slice(lines.indexOf('Why') + 1, lines.indexOf('What happens next, if all goes well'));
    const at = (text: string): number => why.findIndex((line) => line.includes(text));
    expect(at('host-deleting: The host is being deleted')).toBe(0);
    expect(at('detached: ')).toBeGreaterThan(0);
    expect(at('risk: It is being deleted.')).toBeGreaterThan(at('detached: '));
    expect(at('do:   Remove the annotation')).toBeGreaterThan(at('risk: It is being deleted.'));
    expect(why.join('\n')).not.toContain('Create the Secret');
  });

  test.each([
    ['externally provisioned', {}, 'its server is powered off'],
    ['provisioned', { 'baremetalhost.metal3.io/detached': '' }, 'nothing more is done to its server'],
    ['provisioned', {}, 'its server is deprovisioned, its disks are cleaned'],
  ])('that is being deleted, %s, with the annotations %o, says what is done: %s', async (state, annotations, does) => {
    const api = server();
    await api.put(KINDS.secret, 'node-1-bmc', {});
    const metadata = {
      finalizers: ['baremetalhost.metal3.io'],
      annotations,
      deletionTimestamp: '2026-01-01T11:00:00Z',
    };
    await api.put(KINDS.host, 'node-1', object({ metadata, status: { ...status, provisioning: { state, ID: 'n' } } }));
    const { causes } = await explained(api);
    expect(causes).toHaveLength(1);
    expect(causes[0]?.cause).toContain(does);
  });

  test('names the Secret of the registry, not that of the BMC, when that of the registry cannot be used', async () => {
    const api = server();
    await api.put(KINDS.secret, 'node-1-bmc', {});
    const errorMessage =
      'failed to extract credentials from secret "b17-registry": it has no login for registry.example.com';
    const host = object({
      spec: { ...spec, image: { url: 'oci://registry.example.com/os:1', ociAuthSecretName: 'b17-registry' } },
      status: { ...FAILED, errorType: 'provisioning error', errorMessage },
    });
    await api.put(KINDS.host, 'node-1', host);
    const [cause] = (await explained(api)).causes;
    expect(cause?.id).toBe('image-registry-secret');
    expect(cause?.commands.join('\n')).toContain('create secret docker-registry b17-registry ');
    expect(cause?.commands.join('\n')).not.toContain('node-1-bmc');
  });

  test('recognises a run that waits because the object does not ask for its step', async () => {
    const api = server();
    await api.put(KINDS.secret, 'node-1-bmc', {});
    await api.put(KINDS.host, 'node-1', object({ status }));
    const why = 'prepare: BareMetalHost node-1: it is provisioned';
    const waitingFor = staleInWords({ message: why, times: 2, until: NOW });
    const run = { id: 'baremetalhost/metal/node-1', waitingFor };
    const { causes } = await explained(api, 'host', { BareMetalHost: run });
    expect(causes.map(({ id }) => id)).toEqual(['not-asked-for']);
    expect(causes[0]?.evidence[0]).toMatchObject({ field: 'what its run waits for', words: waitingFor });
  });

  test('says what its run waits for, and recognises what another side answers to a request that is repeated', async () => {
    const api = server();
    await api.put(KINDS.secret, 'node-1-bmc', {});
    await api.put(KINDS.host, 'node-1', object({ status }));
    const answer = "can't inspect node n: no answer from Ironic at https://ironic: connect ECONNREFUSED";
    const run = {
      id: 'baremetalhost/metal/node-1',
      waitingFor: 'waiting for Ironic',
      retrying: { what: 'Inspect the hardware', since: '2026-01-01T11:55:00Z', answer },
    };
    const { waitsFor, causes, chain, unread } = await explained(api, 'host', { BareMetalHost: run });
    expect(waitsFor).toBe('waiting for Ironic');
    expect(causes.map(({ id }) => id)).toEqual(['ironic-down']);
    expect(causes[0]?.evidence[0]).toMatchObject({ field: 'last answer to "Inspect the hardware"', words: answer });
    expect(chain.at(-1)).toEqual({ kind: 'run', name: run.id, says: 'waiting for Ironic' });
    expect(unread).toEqual([]);
  });

  const SAID = { reason: 'Error', lastTransitionTime: '2026-01-01T11:55:00Z' };
  test.each([
    [
      'at which time, as the condition Ready says',
      [{ ...SAID, type: 'Ready', status: 'False', message: `${TIMEOUT}; next try at 2026-01-01T12:03:00Z` }],
      'is tried again at 2026-01-01T12:03:00Z',
    ],
    [
      'that it is tried again when something changes, as the condition Stalled says',
      [{ ...SAID, type: 'Stalled', status: 'True', message: TIMEOUT }],
      'is tried again when something changes',
    ],
    [
      'how late it is tried again at most, where neither condition says more',
      [{ ...SAID, type: 'Stalled', status: 'False', message: TIMEOUT }],
      expect.stringMatching(/^is tried again at most /) as string,
    ],
  ])('says of an error %s', async (_, conditions, retry) => {
    const api = server();
    await api.put(KINDS.host, 'node-1', object({ status: { ...FAILED, conditions } }));
    const { lastError, waitsFor } = await explained(api);
    expect([lastError?.retry, waitsFor]).toEqual([retry, '']);
  });

  test('names a Secret that does not exist, where that may be read, and plans no further', async () => {
    const api = server();
    await api.put(
      KINDS.host,
      'node-1',
      object({ status: undefined, spec: { ...spec, userData: { name: 'user-data' } } }),
    );
    const { causes, chain, plan } = await explained(api);
    expect(causes.map(({ id }) => id)).toContain('data-secret-absent');
    expect(chain).toContainEqual({ kind: 'Ironic node', name: '', says: 'none yet' });
    expect(plan?.end).toMatchObject({
      state: 'registering',
      reason: expect.stringContaining('does not exist') as string,
    });
  });

  test('names the Secret of a registry that does not exist, which each deployment needs', async () => {
    const api = server();
    await api.put(KINDS.secret, 'node-1-bmc', {});
    const image = { url: 'oci://registry.example.com/os:1', ociAuthSecretName: 'pull' };
    await api.put(KINDS.host, 'node-1', object({ spec: { ...spec, image }, status }));
    const [cause] = (await explained(api)).causes;
    expect(cause).toMatchObject({
      id: 'data-secret-absent',
      evidence: [{ field: 'spec.image.ociAuthSecretName', words: 'Secret pull does not exist' }],
    });
  });

  test('waits for what the rules say, where neither a run nor a condition does', async () => {
    const api = server();
    await api.put(KINDS.secret, 'node-1-bmc', {});
    const available = {
      ...status,
      poweredOn: true,
      provisioning: { state: 'available', ID: 'n', rootDeviceHints: { deviceName: '/dev/sda' } },
      hardwareProfile: 'unknown',
    };
    await api.put(KINDS.host, 'node-1', object({ status: available }));
    expect((await explained(api)).waitsFor).toBe('waiting for an image in spec.image');
  });

  describe('compares with how long it usually takes', () => {
    const hardware = { systemVendor: { manufacturer: 'Dell', productName: 'R640' } };
    const learnedFrom = (count: number) => {
      const sketch = Object.fromEntries([['16', count]]);
      const times = { 'Dell R640': { learnedAt: NOW, states: { inspecting: sketch } } };
      return { data: usualTimesData(times) };
    };
    const durationWith = async (configMap: object | undefined, refused = ''): Promise<readonly unknown[]> => {
      const api = server(refused);
      await api.put(KINDS.secret, 'node-1-bmc', {});
      await api.put(KINDS.host, 'node-1', object({ status: { ...status, hardware } }));
      if (configMap !== undefined) await api.put(CONFIG_MAPS, USUAL_TIMES, configMap, 'temper-system');
      const { duration, causes, unread } = await explained(api);
      return [duration, causes.map(({ id }) => id), unread.filter((line) => !line.startsWith('run'))];
    };

    test('as the bridge has measured it on such hardware', async () => {
      expect(await durationWith(learnedFrom(40))).toEqual([
        "10 min, usually less than 4 min, as measured 40 times on hardware 'Dell R640'",
        ['longer-than-usual'],
        [],
      ]);
    });

    test('as assumed, where it has measured too little, or nothing', async () => {
      expect(await durationWith(learnedFrom(5))).toEqual([
        "10 min, usually less than 10 min, as assumed: measured only 5 times on hardware 'Dell R640'",
        [],
        [],
      ]);
      expect(await durationWith(undefined)).toEqual(['10 min, usually less than 10 min, as assumed', [], []]);
    });

    test('as assumed, where the measured times may not be read or are none, which is said', async () => {
      const assumed = '10 min, usually less than 10 min, as assumed';
      expect(await durationWith(learnedFrom(40), '/configmaps/')).toEqual([
        assumed,
        [],
        ['ConfigMap temper-system/temper-usual-times: it is forbidden'],
      ]);
      const others = { data: { 'usual-times.json': 'none' } };
      expect(await durationWith(others)).toEqual([
        assumed,
        [],
        ['ConfigMap temper-system/temper-usual-times: its content cannot be read as usual times'],
      ]);
    });
  });

  test('is none without the host', async () => {
    expect(
      await explanationOf({ kind: 'host', name: 'nobody', ...PLACES }, server().reading, undefined, NOW),
    ).toBeUndefined();
  });
});

describe('the explanation of a machine', () => {
  const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'worker-1', uid: 'm' };
  const message =
    'failed to associate the Metal3Machine to a BareMetalHost: no available host found. 1 host: 1 in error';
  const metal3Machine = (metadata: object = {}, conditions: readonly object[] = []) => ({
    metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'prod' }, ownerReferences: [owner], ...metadata },
    status: { conditions: conditions.map((each) => ({ lastTransitionTime: '2026-01-01T11:00:00Z', ...each })) },
  });
  const withCluster = async (paused = false): Promise<Server> => {
    const api = server();
    await api.put(KINDS.cluster, 'prod', { spec: { paused, infrastructureRef: { name: 'prod' } } });
    await api.put(KINDS.metal3Cluster, 'prod', {});
    const ref = { kind: 'Metal3Machine', name: 'worker-1' };
    await api.put(KINDS.machine, 'worker-1', {
      spec: { clusterName: 'prod', infrastructureRef: ref },
      status: { nodeRef: { name: 'node-a' } },
    });
    return api;
  };

  test('goes from its Cluster to its Node, by the name of either object', async () => {
    const api = await withCluster();
    await api.put(
      KINDS.metal3Machine,
      'worker-1',
      metal3Machine({ annotations: { 'metal3.io/BareMetalHost': 'metal/node-1' } }),
    );
    await api.put(KINDS.host, 'node-1', object());
    await api.put(KINDS.secret, 'node-1-bmc', {});
    const { chain, causes, stands, unread } = await explained(api, 'machine', {
      Metal3Machine: { id: 'metal3machine/metal/worker-1', waitingFor: 'waiting for host node-1' },
      BareMetalHost: { id: 'baremetalhost/metal/node-1', waitingFor: '' },
    });
    expect(chain.map(({ kind, name, says }) => `${kind} ${name}: ${says}`)).toEqual([
      'Cluster prod: as desired',
      'Machine worker-1: ',
      'Metal3Machine worker-1: as desired',
      'BareMetalHost node-1: inspecting, in error, powered off',
      'Ironic node n: ',
      'Node node-a: ',
      'run metal3machine/metal/worker-1: waiting for host node-1',
      'run baremetalhost/metal/node-1: busy',
    ]);
    expect(unread).toEqual([]);
    expect(stands).toBe('on host node-1 (inspecting, in error, powered off), as Node node-a');
    expect(causes).toEqual(diagnose(hostError('inspection error', TIMEOUT)));
  });

  test('has commands for its Machine and its Metal3Cluster, whatever their names are', async () => {
    const api = server();
    const at = { lastTransitionTime: '2026-01-01T11:00:00Z', status: 'False', reason: 'Failed' };
    const gone = 'failed to update BareMetalHost: BareMetalHost not found for machine worker-1';
    const noEndpoint = 'Invalid Metal3Cluster provided: missing fields from Spec: [ControlPlaneEndpoint.Host]';
    await api.put(KINDS.cluster, 'prod', { spec: { infrastructureRef: { name: 'prod-x7k2p' } } });
    await api.put(KINDS.metal3Cluster, 'prod-x7k2p', {
      status: { conditions: [{ type: 'Ready', message: noEndpoint, ...at }] },
    });
    await api.put(KINDS.machine, 'worker-1', {
      spec: { clusterName: 'prod', infrastructureRef: { kind: 'Metal3Machine', name: 'infra-xyz' } },
    });
    const condition = { type: 'AssociateMetal3MachineMetaData', message: gone, ...at };
    await api.put(KINDS.metal3Machine, 'infra-xyz', metal3Machine({}, [condition]));
    const { causes } = await explained(api, 'machine');
    expect(causes.map(({ id, commands }) => [id, commands.at(-1)])).toEqual([
      [
        'endpoint-missing',
        `kubectl -n metal patch metal3cluster prod-x7k2p --type merge -p '{"spec":{"controlPlaneEndpoint":{"host":"HOST","port":6443}}}'`,
      ],
      ['host-gone', 'kubectl -n metal delete machine.cluster.x-k8s.io worker-1'],
    ]);
  });

  test('says why each host is not chosen', async () => {
    const api = await withCluster();
    const condition = aCondition('AssociateBareMetalHost', 'False', 'AssociateBareMetalHostFailed', message);
    await api.put(KINDS.metal3Machine, 'worker-1', metal3Machine({}, [condition]));
    await api.put(KINDS.host, 'node-1', object());
    const { waitsFor, causes, chain } = await explained(api, 'machine');
    expect(waitsFor).toBe(message);
    expect(causes.map(({ id }) => id)).toEqual(['hosts-not-free']);
    expect(causes[0]?.evidence.map(({ object: of, words }) => `${of}: ${words}`)).toEqual([
      `Metal3Machine metal/worker-1: ${message}`,
      'BareMetalHost metal/node-1: in error',
    ]);
    expect(chain.find(({ kind }) => kind === 'BareMetalHost')).toMatchObject({ name: '', says: 'none yet' });
  });

  test('is one line in that of its cluster', async () => {
    const api = await withCluster(true);
    const condition = aCondition('AssociateBareMetalHost', 'False', 'AssociateBareMetalHostFailed', message);
    await api.put(KINDS.metal3Machine, 'worker-1', metal3Machine({}, [condition]));
    await api.put(KINDS.host, 'node-1', object());
    const found = await clusterExplanation(api.reading, { namespace: 'metal', name: 'prod' }, 'temper-system', NOW);
    expect(found && clusterLines(found)).toEqual([
      'Cluster metal/prod: paused, 1 machine, 1 of them not as desired',
      '',
      'Why',
      '  cluster-paused: The Cluster is paused: nothing is done with its machines and hosts.',
      '    seen: Cluster metal/prod, spec.paused: true',
      '    risk: What is asked for is done then, which may deprovision, clean, reboot or power off servers, or write images over their disks.',
      '    do:   Set spec.paused to false.',
      `          kubectl -n metal patch cluster prod --type merge -p '{"spec":{"paused":false}}'`,
      '',
      'Machines',
      '  worker-1  without a host; hosts-not-free: No host can be chosen: each has a reason of its own.',
      '',
      'More about one of them',
      '  npx temper explain machine worker-1 -n metal',
    ]);
  });
});
