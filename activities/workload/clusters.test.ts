import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { BOUNDS } from '../../domain/bounds/bounds.ts';
import { maybeJson } from '../../domain/bounds/json.ts';
import type { AnswerLimits } from '../../kube/access.ts';
import { createAuthority, DAY_MS } from '../../platform/tls/certificates.ts';
import { openConnectProxy } from '../../test/builders/connect-proxy.ts';
import { cpuTimeOf } from '../../test/builders/cpu-time.ts';
import { anyLinkOrder } from '../../test/builders/link-order.ts';
import { base64, json, workloadClusters } from '../../test/builders/workload-clusters.ts';
import type { WorkloadProxies } from './clusters.ts';
import { listNodes } from './list-nodes.ts';
import { createWorkloadActivities } from './nodes.ts';

const CANARY = 'canary-77ab';
const LIMITS: AnswerLimits = { answer: { ...BOUNDS.workloadAnswer, characters: 4_096 }, pauseMs: 300, message: 60 };

const { begin, end, closing, aTenantServer, theKubeconfig, clustersOf } = workloadClusters(LIMITS);
beforeAll(begin);
afterEach(end);

/** What a machine is told that searches its Node in the cluster of this kubeconfig. */
async function search(
  kubeconfig: object,
  order = anyLinkOrder(),
  limits: AnswerLimits | 'usual' = LIMITS,
  proxies?: WorkloadProxies,
) {
  const clusters = await clustersOf(() => kubeconfig, undefined, limits, proxies);
  const { activities } = createWorkloadActivities({
    clusters,
    intervalMs: 1,
    currentCall: () => ({ signal: new AbortController().signal }),
  });
  const { answer } = await activities.findNode(order);
  return answer;
}
const BY_LABEL = 'failed to set ProviderID on Metal3Machine based on Node label';
const absent = (why: string) => ({ kind: 'absent', reason: 'CreateError', message: `${BY_LABEL}: ${why}` });
const tooMuch = (what: string): string =>
  `the API server of cluster test1 answers too much: beyond the bound of the cluster's answer: more than ${what}`;
const TOO_MANY_NODES = 'the API server of cluster test1 answers too much: more than 10000 Nodes';

describe('a machine', () => {
  test('is linked to its Node over TLS, with a client certificate and a token', async () => {
    const asked: unknown[] = [];
    const port = await aTenantServer((request, response) => {
      const { authorized } = request.socket as unknown as { readonly authorized: boolean };
      asked.push([request.method, authorized, request.headers.authorization]);
      const metadata = { name: 'node-1', labels: { 'metal3.io/uuid': 'uid-1' } };
      json(response, 200, request.method === 'GET' ? { items: [{ metadata, spec: {} }] } : { metadata });
    });
    expect(await search(theKubeconfig(port, { user: { token: 'abc' } }))).toMatchObject({
      kind: 'linked',
      node: 'node-1',
    });
    expect(asked).toEqual([
      ['GET', true, 'Bearer abc'],
      ['PATCH', true, 'Bearer abc'],
    ]);
  });

  test('is linked through the proxy of its kubeconfig when the operator lists that, or else through that of the environment', async () => {
    const metadata = { name: 'node-1', labels: { 'metal3.io/uuid': 'uid-1' } };
    const port = await aTenantServer(({ method }, response) =>
      json(response, 200, method === 'GET' ? { items: [{ metadata, spec: {} }] } : { metadata }),
    );
    const [servers, login] = [{ 'workload.invalid:6443': `127.0.0.1:${port}` }, 'user:password'];
    const [usual, listed] = [await openConnectProxy(servers), await openConnectProxy(servers, login)];
    closing.push(
      () => usual.close(),
      () => listed.close(),
    );
    const proxies: WorkloadProxies = {
      HTTPS_PROXY: `http://${usual.address}`,
      NO_PROXY: '',
      WORKLOAD_CLUSTER_PROXIES: [`http://${login}@${listed.address}`],
    };
    const searchWith = (cluster: object) => {
      const kubeconfig = theKubeconfig(port, { cluster: { server: 'https://workload.invalid:6443', ...cluster } });
      return search(kubeconfig, anyLinkOrder(), LIMITS, proxies);
    };
    expect(await searchWith({ 'proxy-url': `http://${listed.address}` })).toMatchObject({ kind: 'linked' });
    expect([usual.tunnels.length, listed.tunnels.length > 0]).toEqual([0, true]);
    expect(await searchWith({})).toMatchObject({ kind: 'linked' });
    expect(usual.tunnels.length > 0).toBe(true);
    const [before, own] = [usual.tunnels.length, `http://${usual.address}`];
    expect(await searchWith({ 'proxy-url': own })).toEqual(
      absent(
        'the kubeconfig of cluster test1 is refused: clusters[0].cluster.proxy-url is not one of WORKLOAD_CLUSTER_PROXIES, which the operator sets',
      ),
    );
    expect(usual.tunnels.length).toBe(before);
  });

  test('finds its Node among 25 with one request', async () => {
    const asked: (string | undefined)[] = [];
    const items = Array.from({ length: 25 }, (_, at) => ({
      metadata: { name: `node-${at}`, labels: { 'metal3.io/uuid': `uid-${at}` } },
      spec: { providerID: `metal3://uid-${at}` },
    }));
    const port = await aTenantServer(({ url }, response) => {
      asked.push(url);
      json(response, 200, { items });
    });
    expect(await search(theKubeconfig(port), anyLinkOrder(), 'usual')).toMatchObject({
      kind: 'linked',
      node: 'node-1',
    });
    expect(asked).toEqual(['/api/v1/nodes?limit=25']);
  });

  test('finds its Node among thousands, page by page', async () => {
    const asked: (string | null)[] = [];
    const port = await aTenantServer(({ url }, response) => {
      const token = new URL(url ?? '', 'https://x').searchParams.get('continue');
      asked.push(token);
      const from = Number(token ?? 0);
      const items = Array.from({ length: 50 }, (_, at) => ({
        metadata: { name: `node-${from + at}` },
        spec: { providerID: from + at === 4_999 ? 'metal3://uid-1' : '' },
      }));
      const next = from + 50 < 5_000 ? String(from + 50) : '';
      json(response, 200, { metadata: { continue: next }, items });
    });
    expect(await search(theKubeconfig(port), anyLinkOrder(), 'usual')).toMatchObject({
      kind: 'linked',
      node: 'node-4999',
    });
    expect([asked.length, asked.at(0), asked.at(-1)]).toEqual([100, null, '4950']);
  });

  test('begins anew when the token of a page has expired', async () => {
    const asked: (string | null)[] = [];
    const items = [{ metadata: { name: 'node-1' }, spec: { providerID: 'metal3://uid-1' } }];
    const port = await aTenantServer(({ url }, response) => {
      const token = new URL(url ?? '', 'https://x').searchParams.get('continue');
      asked.push(token);
      if (asked.length === 2) return json(response, 410, { kind: 'Status', reason: 'Expired', message: 'too old' });
      json(response, 200, token === null ? { metadata: { continue: 'more' }, items } : { items: [] });
    });
    // Temporal repeats the activity.
    await expect(search(theKubeconfig(port))).rejects.toThrow('410');
    expect(await search(theKubeconfig(port))).toMatchObject({ node: 'node-1' });
    expect(asked).toEqual([null, 'more', null, 'more']);
  });

  test('finds its Node on the second page', async () => {
    const port = await aTenantServer(({ url }, response) => {
      const isSecond = new URL(url ?? '', 'https://x').searchParams.get('continue') === 'more';
      const metadata = {
        name: isSecond ? 'node-2' : 'node-1',
        labels: { 'metal3.io/uuid': isSecond ? 'uid-1' : 'uid-0' },
      };
      json(response, 200, { metadata: isSecond ? {} : { continue: 'more' }, items: [{ metadata, spec: {} }] });
    });
    expect(await search(theKubeconfig(port))).toMatchObject({ kind: 'linked', node: 'node-2' });
  });

  test('is told the field for which the kubeconfig of its cluster is refused', async () => {
    const config = theKubeconfig(1, { user: { exec: { command: CANARY } } });
    expect(await search(config)).toEqual(
      absent('the kubeconfig of cluster test1 is refused: users[0].user.exec is not allowed'),
    );
    expect(await search(config, anyLinkOrder({ cloudProvider: true }))).toMatchObject({
      message: expect.stringMatching(
        /^failed to set ProviderID on .* based on Cloud Provider Node ProviderID: the /,
      ) as unknown,
    });
  });
});

describe('the API server of a workload cluster', () => {
  test('must have a certificate of the CA, for the name', async () => {
    const port = await aTenantServer((_, response) => json(response, 200, { items: [] }));
    const unreachable = absent('the API server of cluster test1 is unreachable');
    const another = base64((await createAuthority('CN=ca', DAY_MS)).cert);
    expect(await search(theKubeconfig(port, { cluster: { 'certificate-authority-data': another } }))).toEqual(
      unreachable,
    );
    expect(await search(theKubeconfig(port, { cluster: { 'certificate-authority-data': null } }))).toEqual(unreachable);
    expect(await search(theKubeconfig(port, { cluster: { 'tls-server-name': 'other.test' } }))).toEqual(unreachable);
  });

  test('may not answer more than the limit', async () => {
    const port = await aTenantServer((_, response) => json(response, 200, { items: [], more: 'x'.repeat(5_000) }));
    expect(await search(theKubeconfig(port))).toEqual(absent(tooMuch('4096 characters')));
  });

  test('may not answer page after page without an end', async () => {
    let pages = 0;
    const port = await aTenantServer((_, response) => {
      pages += 1;
      json(response, 200, { metadata: { continue: `page-${pages}` }, items: [] });
    });
    expect(await search(theKubeconfig(port))).toEqual(absent(TOO_MANY_NODES));
    expect(pages).toBe(400);
  });

  test.each([
    ['2 MiB', ['x'.repeat(2 * 1_024 * 1_024)], tooMuch('2097152 characters')],
    ['50,000 values', Array.from({ length: 25_000 }, () => ({})), tooMuch('50000 values')],
    ['64 levels', JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`) as unknown, tooMuch('64 levels')],
    ['ten thousand Nodes', Array.from({ length: 10_001 }, () => 0), TOO_MANY_NODES],
  ])('may not answer more than %s', async (_, items, why) => {
    const port = await aTenantServer((__, response) => json(response, 200, { items }));
    expect(await search(theKubeconfig(port), anyLinkOrder(), 'usual')).toEqual(absent(why));
  });

  test.each([
    ['nested lists', '['.repeat(1_048_570) + ']'.repeat(1_048_570)],
    ['empty objects', `{"items":[${'{},'.repeat(24_900)}{}]}`],
    ['keys', `{${Array.from({ length: 24_900 }, (_, at) => `"k${at}":1`).join(',')}}`],
    ['quotes', `["${String.raw`\"`.repeat(1_000_000)}"]`],
    ['one text', JSON.stringify('x'.repeat(2_000_000))],
  ])('takes milliseconds of our thread at most with an answer of %s', (_, text) => {
    expect(cpuTimeOf(() => maybeJson(text, BOUNDS.workloadAnswer))).toBeLessThan(240);
  });

  test('can have no long label kept', async () => {
    const uuid = `${'u'.repeat(63)}${CANARY}`;
    const port = await aTenantServer((_, response) =>
      json(response, 200, { items: [{ metadata: { name: 'node-1', labels: { 'metal3.io/uuid': uuid } } }] }),
    );
    const clusters = await clustersOf(() => theKubeconfig(port));
    const cluster = { namespace: 'metal', name: 'test1' };
    expect(await listNodes(await clusters.connect(cluster), cluster)).toEqual([{ name: 'node-1', providerID: '' }]);
  });

  test('may not keep us waiting', async () => {
    const silent = await aTenantServer(() => undefined);
    const unreachable = absent('the API server of cluster test1 is unreachable');
    expect(await search(theKubeconfig(silent))).toEqual(unreachable);
    const slow = await aTenantServer((_, response) => void response.writeHead(200).write('{'));
    expect(await search(theKubeconfig(slow))).toEqual(unreachable);
  });

  test('leads nowhere else', async () => {
    const asked: string[] = [];
    const other = await aTenantServer(({ url }, response) => {
      asked.push(url ?? '');
      response.end();
    });
    const port = await aTenantServer((_, response) => {
      response.writeHead(307, { location: `https://127.0.0.1:${other}/` }).end(CANARY);
    });
    expect(await search(theKubeconfig(port))).toEqual(
      absent('the API server of cluster test1 answers with status 307'),
    );
    expect(asked).toEqual([]);
  });

  test.each([
    ['text', `<html>${CANARY}`, 'is unreachable'],
    ['another object', JSON.stringify({ kind: CANARY }), 'answers with no list of Nodes'],
    ['a list of nonsense', JSON.stringify({ items: CANARY }), 'answers with no list of Nodes'],
  ])('is told apart from a working one when it answers with %s', async (_, body, problem) => {
    const port = await aTenantServer((__, response) => void response.end(body));
    expect(await search(theKubeconfig(port))).toEqual(absent(`the API server of cluster test1 ${problem}`));
  });

  test('is quoted on one line, and no longer than the limit', async () => {
    const message = `\u001b[31mred\r\n${'x'.repeat(500)}${CANARY}`;
    const port = await aTenantServer((_, response) =>
      json(response, 422, { kind: 'Status', reason: message, message, details: { name: message } }),
    );
    const error: unknown = await search(theKubeconfig(port)).catch((thrown: unknown) => thrown);
    if (!(error instanceof Error)) throw new Error('there is no error');
    expect(error.message).toBe(`GET /api/v1/nodes: 422  [31mred ${'x'.repeat(51)} …`);
    expect(JSON.stringify(Object.entries(error))).not.toContain(CANARY);
  });

  test('can name no Node that is none', async () => {
    const labels = { 'metal3.io/uuid': 'uid-1' };
    const odd = [
      { metadata: { name: '../../secrets/x', labels }, spec: {} },
      { metadata: { name: 'x'.repeat(300), labels }, spec: {} },
      { metadata: { name: 'node-1', labels }, spec: { providerID: `metal3://uid-1\n${CANARY}` } },
      { metadata: { labels } },
      7,
    ];
    const port = await aTenantServer((_, response) => json(response, 200, { items: odd }));
    const answer = await search(theKubeconfig(port));
    expect(answer).toMatchObject({ kind: 'absent' });
    expect(JSON.stringify(answer)).not.toContain(CANARY);
  });

  test('can not make a message long by many Nodes', async () => {
    const items = Array.from({ length: 30 }, (_, each) => ({
      metadata: { name: `${'n'.repeat(40)}-${each}`, labels: { 'metal3.io/uuid': 'uid-1' } },
    }));
    const port = await aTenantServer((_, response) => json(response, 200, { items }));
    const answer = await search(theKubeconfig(port));
    expect(answer).toMatchObject({ kind: 'refused' });
    expect(answer.kind === 'linked' ? 0 : answer.message.length).toBeLessThanOrEqual(1_002);
  });
});

describe('nothing is kept', () => {
  const user = { 'client-certificate-data': null, 'client-key-data': null, token: 'abc' };

  test('of 2,000 clusters that are gone', async () => {
    let count = 0;
    const refused = { user: { exec: {} } };
    const clusters = await clustersOf(() => theKubeconfig(1, count % 2 === 0 ? { user } : refused), 20);
    for (; count < 2_000; count++) {
      await clusters.connect({ namespace: 'metal', name: `c${count}` }).catch(() => undefined);
    }
    await expect.poll(() => clusters.size).toBe(0);
    // A busy machine is no failure.
  }, 600_000);

  test('of a cluster whose kubeconfig is gone', async () => {
    let config: object | undefined = theKubeconfig(1, { user });
    const clusters = await clustersOf(() => config);
    const name = { namespace: 'metal', name: 'c' };
    await clusters.connect(name);
    expect(clusters.size).toBe(1);
    config = undefined;
    await expect(clusters.connect(name)).rejects.toThrow(
      'error creating a remote client: failed to retrieve kubeconfig secret for Cluster "c" in namespace "metal": secrets "c-kubeconfig" not found',
    );
    expect(clusters.size).toBe(0);
  });
});
