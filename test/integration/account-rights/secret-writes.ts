import { vi } from 'vitest';
import { createDataActivities } from '../../../activities/kubernetes/data/data.ts';
import { createHostData } from '../../../activities/kubernetes/host/host-data.ts';
import { createHostClaimActivities } from '../../../activities/kubernetes/machine/host-claims.ts';
import { markSecret, releaseSecret } from '../../../activities/kubernetes/secrets.ts';
import { MACHINE_FINALIZER } from '../../../api/metal3machine/kind.ts';
import type { HostRef } from '../../../domain/ironic/orders.ts';
import { createReleaseSecrets } from '../../../k8s-bridge/secrets/release-secrets.ts';
import { keepOwnCertificate, OWN_SECRET } from '../../../k8s-bridge/webhooks/keep-own-certificate.ts';
import type { Kube } from '../../../kube/client.ts';
import { type FollowedKind, KINDS } from '../../../kube/kinds.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { marksKept, readSecretObject } from '../../../kube/objects/secret.ts';
import {
  collectionPath,
  hostPath,
  objectPath,
  secretCollection,
  secretPath,
  webhookConfigurationPath,
} from '../../../kube/paths.ts';
import { createStore } from '../../../kube/store.ts';

const CREDENTIALS = { username: 'a', password: 'b' };
const CLUSTER = 'prod';
/** Keeps an object while a test looks at it: Kubernetes deletes what it alone owns. */
const KEPT = ['example.com/keeps'];

/** What bridge and workers leave on a Secret. */
export interface Marks {
  readonly labels: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly owners: readonly string[];
}

/**
 * Every write of Secrets, done by the code of bridge and workers with the account that is given. A test of the policy
 * compares the imports of this file with the files that write Secrets (deploy/kubernetes/accounts.test.ts).
 */
export function createSecretWrites(admin: Kube, namespace: string) {
  const create = async (kind: FollowedKind, name: string, body: object = {}): Promise<HostRef> => {
    const { metadata = {}, ...rest } = body as { metadata?: object };
    const path = collectionPath(kind, namespace);
    const whole = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, ...metadata }, ...rest };
    const { uid } = readMetadata(await admin.request({ method: 'POST', path, body: whole }));
    return { namespace, name, uid };
  };
  const aSecret = async (name: string, stringData: Readonly<Record<string, string>> = CREDENTIALS): Promise<void> => {
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData };
    await admin.request({ method: 'POST', path: secretCollection(namespace), body });
  };
  const aHost = (name: string, spec: object, metadata: object = {}): Promise<HostRef> =>
    create(KINDS.host, name, { spec: { online: false, ...spec }, metadata });
  const aMachine = (name: string, metadata: object = {}, spec: object = {}): Promise<HostRef> =>
    create(KINDS.metal3Machine, name, { metadata, spec: { image: { url: 'http://a/b', checksum: 'x' }, ...spec } });
  const remove = (kind: FollowedKind, name: string): Promise<unknown> =>
    admin.request({ method: 'DELETE', path: objectPath(kind, { namespace, name }) });
  const readSecret = (name: string): Promise<unknown> => admin.find(secretPath({ namespace, name }));
  const marksOn = async (name: string): Promise<Marks> => {
    const { labels, finalizers, ownerReferences } = readMetadata(await readSecret(name));
    return { labels, finalizers, owners: ownerReferences.map((owner) => owner.name) };
  };

  return {
    /** A host is registered, deployed and deleted; answers with its Secrets before and after that. */
    async ofAHost(workers: Kube, name: string) {
      const [bmc, net, user] = [`${name}-bmc`, `${name}-net`, `${name}-user`] as const;
      const all = async () => ({ bmc: await marksOn(bmc), net: await marksOn(net), user: await marksOn(user) });
      const host = await aHost(name, { bmc: { address: '', credentialsName: bmc } }, { finalizers: KEPT });
      await aSecret(bmc);
      await aSecret(net, { networkData: 'links: []' });
      await aSecret(user, { userData: '' });
      const data = createHostData(workers, () => undefined);
      const credentials = await data.bmcCredentials(host, bmc, { claim: true });
      await data.claimedNetworkData(host, net);
      await data.hostData(host, { name: user }, 'userData');
      const held = await all();
      for (const each of [bmc, net]) await releaseSecret(workers, host, each);
      return { credentials, held, released: await all() };
    },

    /** A machine takes a host and gives it back; answers with the Secret of its BMC after each. */
    async ofAMachine(workers: Kube, name: string) {
      const bmc = `${name}-bmc`;
      await aSecret(bmc);
      const host = await aHost(name, { bmc: { address: '', credentialsName: bmc } });
      const machine = await aMachine(name, { finalizers: [MACHINE_FINALIZER] });
      const activities = createHostClaimActivities(workers);
      const order = { host, machine: { namespace, name: machine.name }, clusterName: CLUSTER };
      const answers = [await activities.takeHost(order)];
      const taken = await marksOn(bmc);
      await remove(KINDS.metal3Machine, name);
      answers.push(await activities.giveHostBack(order));
      return { answers, taken, givenBack: await marksOn(bmc) };
    },

    /** The data of a machine is rendered; answers with the content of its Secrets. */
    async ofItsData(workers: Kube, name: string) {
      const { kind, apiVersion } = KINDS.machine;
      const labels = { 'cluster.x-k8s.io/cluster-name': CLUSTER };
      const machine = { apiVersion, kind, metadata: { namespace, name, uid: 'u' }, spec: { clusterName: CLUSTER } };
      await aHost(name, { bootMACAddress: '52:54:00:aa:bb:cc' });
      const spec = {
        metaData: { strings: [{ key: 'a', value: 'b' }] },
        networkData: { services: { dns: ['8.8.8.8'] } },
      };
      await create(KINDS.dataTemplate, name, { spec: { clusterName: CLUSTER, ...spec } });
      const ofMachine = await aMachine(
        name,
        {
          labels,
          ownerReferences: [{ apiVersion, kind, name, uid: 'u' }],
          annotations: { 'metal3.io/BareMetalHost': `${namespace}/${name}` },
        },
        { dataTemplate: { name, namespace } },
      );
      const owner = { apiVersion: KINDS.metal3Machine.apiVersion, kind: 'Metal3Machine', name, uid: ofMachine.uid };
      const template = { name, namespace };
      await create(KINDS.dataClaim, name, { metadata: { ownerReferences: [owner] }, spec: { template } });
      const data = await create(KINDS.data, name, {
        spec: { index: 0, template, claim: { name, namespace } },
      });
      // The kind of Cluster API is not served here.
      const path = objectPath(KINDS.machine, { namespace, name });
      const find: Kube['find'] = (asked) => (asked === path ? Promise.resolve(machine) : workers.find(asked));
      const activities = createDataActivities({ kube: { ...workers, find }, namesClaimsAfterHosts: false });
      const answer = await activities.renderData({ data });
      const contents = [`${name}-metadata`, `${name}-networkdata`].map(async (secret) => {
        const found = await readSecret(secret);
        return found === undefined ? {} : (readSecretObject(found).data ?? {});
      });
      return { answer, keys: (await Promise.all(contents)).flatMap(Object.keys) };
    },

    /**
     * A host leaves Secrets behind that workers have marked: two that nobody uses any more, one that another host reads,
     * and one that another host holds. The bridge releases them; answers with their marks after that, or with what failed.
     */
    async leftBehind(workers: Kube, bridge: Kube) {
      const bmc = { address: '', credentialsName: 'bmc-new' };
      const host = await aHost('rotated', { bmc, preprovisioningNetworkDataName: 'net-new' });
      const other = await aHost('other', {
        bmc: { address: '', credentialsName: 'bmc-shared' },
        userData: { name: 'bmc-read' },
      });
      const good = { credentials: { name: 'bmc-new', namespace }, credentialsVersion: '1' };
      await admin.patch(`${hostPath(host)}/status`, {
        status: {
          errorMessage: '',
          errorCount: 0,
          poweredOn: false,
          hardwareProfile: '',
          operationalStatus: 'OK',
          provisioning: { state: 'available', ID: '', image: { url: '' } },
          goodCredentials: good,
        },
      });
      const names = ['bmc-old', 'bmc-new', 'bmc-read', 'bmc-shared', 'net-old', 'net-new'] as const;
      for (const name of names)
        await aSecret(name, name.startsWith('net') ? { networkData: 'links: []' } : CREDENTIALS);
      const data = createHostData(workers, () => undefined);
      for (const name of names) {
        if (name.startsWith('net')) await data.claimedNetworkData(host, name);
        else await data.bmcCredentials(host, name, { claim: true });
      }
      await data.bmcCredentials(other, 'bmc-shared', { claim: true });

      const store = createStore();
      const failures: unknown[] = [];
      const note = (what: object): void => void ('error' in what && failures.push(what.error));
      const log = { info: note, warn: note };
      const releases = createReleaseSecrets({ kube: bridge, store, agentNetworkOf: () => undefined, log, settleMs: 0 });
      for (const name of names) {
        const object = await readSecret(name);
        store.put(KINDS.secret, { ...readMetadata(object), object: marksKept(object) });
      }
      for (const each of [host, other]) {
        const object = await admin.find(hostPath(each));
        store.put(KINDS.host, { ...readMetadata(object), object });
      }
      releases.serve();
      await vi.waitUntil(() => releases.size === 0 || failures.length > 0, { timeout: 300_000 });
      await releases.stop();
      return {
        old: await marksOn('bmc-old'),
        ofTheAgent: await marksOn('net-old'),
        read: await marksOn('bmc-read'),
        shared: await marksOn('bmc-shared'),
        failures,
      };
    },

    /** The bridge labels the Secret with the network data of a deploy image. */
    async ofAnImage(bridge: Kube, name: string) {
      await aSecret(name, { networkData: 'links: []' });
      await markSecret(bridge, readSecretObject(await readSecret(name)), { hold: false });
      return marksOn(name);
    },

    /** The bridge makes the certificate of the webhooks; says whether it is the one in its Secret. */
    async ofTheWebhooks(bridge: Kube) {
      const paths = [webhookConfigurationPath(namespace), webhookConfigurationPath(namespace, 'mutating')];
      for (const path of paths) {
        const body = { metadata: { name: namespace }, webhooks: [] };
        await admin.request({ method: 'POST', path: path.slice(0, path.lastIndexOf('/')), body });
      }
      // Its rights in the whole cluster are not those of an installation.
      const own = secretPath({ namespace, name: OWN_SECRET });
      const find: Kube['find'] = (path) => (path === own ? bridge : admin).find(path);
      const names = { validating: namespace, mutating: namespace };
      const pair = await keepOwnCertificate({ kube: { ...bridge, find }, namespace, now: Date.now, ...names });
      const stored = readSecretObject(await readSecret(OWN_SECRET)).data;
      for (const path of [...paths, own]) await admin.request({ method: 'DELETE', path });
      return { isServed: stored?.['tls.crt'] === Buffer.from(pair.cert).toString('base64') };
    },
  };
}
